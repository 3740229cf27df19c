//! Random modules that use every operator, registers of every kind, memories, a state machine and an instance.

use super::Random;
use sagen_lang::*;

const WIDTHS: [u32; 18] = [1, 1, 2, 3, 7, 8, 8, 13, 16, 16, 31, 32, 33, 63, 64, 65, 100, 200];

fn ty(r: &mut Random) -> Type {
    Type { width: r.pick(&WIDTHS), signed: r.below(2) == 1 }
}

/// The low bits or the extension of `s`, with the sign of `to`.
fn fit(s: Signal, to: Type) -> Signal {
    let sized = if s.width() >= to.width { s.trunc(to.width) } else { s.extend(to.width) };
    if to.signed { sized.as_signed() } else { sized.as_unsigned() }
}

struct Pool {
    signals: Vec<Signal>,
}

impl Pool {
    /// Any signal; later ones more often.
    fn any(&self, r: &mut Random) -> Signal {
        let n = self.signals.len() as u32;
        let i = r.below(n).max(r.below(n));
        self.signals[i as usize]
    }

    fn of(&self, r: &mut Random, ty: Type) -> Signal {
        fit(self.any(r), ty)
    }

    fn bit(&self, r: &mut Random) -> Signal {
        let s = self.any(r);
        match r.below(4) {
            0 => s.reduce_xor(),
            1 => s.msb(),
            2 => s.lt(self.of(r, s.ty())),
            _ => s.bit(r.below(s.width())),
        }
    }
}

/// Builds a random module; with a child, one or two instances of it are placed.
pub(crate) fn module(d: &mut Design, name: &str, seed: u64, operators: u32, child: Option<ModuleId>) -> ModuleId {
    let child_ports = child.map(|c| (c, d.ports(c).to_vec()));
    d.module(name, |m| {
        let r = &mut Random::new(seed);
        let mut p = Pool { signals: Vec::new() };
        for i in 0..4 + r.below(4) {
            p.signals.push(m.input(&format!("in{i}"), ty(r)));
        }
        let regs = registers(m, r, &mut p);
        let wire = m.wire("forward", ty(r));
        wire.drive(p.of(r, wire.ty()));
        p.signals.push(wire.q());
        for i in 0..operators {
            let s = operator(r, &p);
            p.signals.push(if r.below(5) == 0 { m.net(&format!("net{i}"), s) } else { s });
        }
        for i in 0..2 {
            p.signals.push(m.reg_en(&format!("held{i}"), p.bit(r), p.any(r)).q());
        }
        p.signals.push(m.delay("late", p.any(r), 2));
        memories(m, r, &mut p);
        states(m, r, &mut p);
        if let Some((id, ports)) = &child_ports {
            instance(m, r, &mut p, *id, ports);
        }
        for _ in 0..operators {
            let s = operator(r, &p);
            p.signals.push(s);
        }
        assignments(m, r, &p, &regs);
        for (i, reg) in regs.iter().enumerate() {
            m.output(&format!("reg_out{i}"), *reg);
        }
        for i in 0..12 {
            m.output(&format!("out{i}"), p.any(r));
        }
        m.assert(p.any(r).reduce_or() | high(), "never fails");
    })
}

fn registers(m: &Module, r: &mut Random, p: &mut Pool) -> Vec<Reg> {
    let mut regs = Vec::new();
    for i in 0..4 {
        let mut reg = m.reg(&format!("r{i}"), ty(r));
        if r.below(2) == 0 {
            reg = reg.reset(constant(r, reg.ty()));
        }
        p.signals.push(reg.q());
        regs.push(reg);
    }
    regs
}

/// A number of this type.
fn constant(r: &mut Random, ty: Type) -> i128 {
    let bits = (ty.width - u32::from(ty.signed)).min(64);
    let value = i128::from(r.word()) & ((1 << bits) - 1);
    if ty.signed && r.below(2) == 1 { -1 - value } else { value }
}

fn assignments(m: &Module, r: &mut Random, p: &Pool, regs: &[Reg]) {
    for &reg in regs {
        m.set(reg, p.of(r, reg.ty()));
    }
    let (x, y) = (regs[0], regs[1]);
    let values: Vec<Signal> = (0..4).map(|i| p.of(r, regs[i % 2].ty())).collect();
    let (c0, c1, c2) = (p.bit(r), p.bit(r), p.bit(r));
    m.when(c0, || {
        m.set(x, values[0]);
        m.when(c2, || m.set(y, values[1]));
    })
    .elsewhen(c1, || m.set(y, values[3]))
    .otherwise(|| m.set(x, values[2]));
    let selector = p.of(r, unsigned(2));
    m.switch(selector)
        .case(1, || m.set(regs[2], regs[2].not()))
        .case(2, || m.set(x, x.neg()))
        .otherwise(|| m.set(y, y.shl(1)));
}

fn memories(m: &Module, r: &mut Random, p: &mut Pool) {
    let ram = m.memory("ram", 16, 24).style(r.pick(&[RamStyle::Auto, RamStyle::Block, RamStyle::Ultra])).byte_enable(8);
    let (addr, word) = (unsigned(ram.addr_width()), unsigned(24));
    ram.write_masked(p.bit(r), p.of(r, addr), p.of(r, word), p.of(r, unsigned(3)));
    for _ in 0..2 {
        p.signals.push(ram.read(p.bit(r), p.of(r, addr)));
    }
    let wide = m.memory("wide", 8, 130).style(RamStyle::Distributed);
    wide.write(p.bit(r), p.of(r, unsigned(3)), p.of(r, unsigned(130)));
    p.signals.push(wide.read_async(p.of(r, unsigned(3))));
    let values: Vec<i64> = (0..8).map(|_| r.word() as i64).collect();
    let rom = m.rom("lookup", &values, r.pick(&[5, 40, 64]));
    p.signals.push(rom.lookup(p.of(r, unsigned(3))));
    p.signals.push(rom.read(high(), p.of(r, unsigned(3))));
    initialised(m, r, p);
}

/// Memories that start with contents; two ports never meet in one word.
fn initialised(m: &Module, r: &mut Random, p: &mut Pool) {
    let values: Vec<u64> = (0..5).map(|_| r.word()).collect();
    let boot = m.memory("boot", 16, 32).style(RamStyle::Block).byte_enable(8).init(&values);
    let (half, word) = (p.bit(r), unsigned(32));
    let (low_half, high_half) = (cat(&[p.of(r, unsigned(3)), half]), cat(&[p.of(r, unsigned(3)), !half]));
    p.signals.push(boot.port(p.bit(r), p.bit(r), low_half, p.of(r, word)));
    p.signals.push(boot.port_masked(p.bit(r), p.of(r, unsigned(4)), high_half, p.of(r, word)));
    let table = m.memory("table_ram", 8, 40).style(r.pick(&[RamStyle::Block, RamStyle::Auto])).init(&values);
    table.write(p.bit(r), p.of(r, unsigned(3)), p.of(r, unsigned(40)));
    for _ in 0..2 {
        p.signals.push(table.read(p.bit(r), p.of(r, unsigned(3))));
    }
}

fn states(m: &Module, r: &mut Random, p: &mut Pool) {
    let st = m.fsm("state", &["idle", "run", "done"]);
    let (go, stop) = (p.bit(r), p.bit(r));
    m.switch_state(&st)
        .case("idle", || {
            m.when(go, || m.set_state(&st, "run"));
        })
        .case("run", || {
            m.when(stop, || m.set_state(&st, "done"));
        })
        .otherwise(|| m.set_state(&st, "idle"));
    p.signals.push(st.is("done"));
    p.signals.push(st.q());
}

fn instance(m: &Module, r: &mut Random, p: &mut Pool, id: ModuleId, ports: &[Port]) {
    for i in 0..1 + r.below(2) {
        let u = m.instance(&format!("u{i}"), id);
        for port in ports {
            match port.direction {
                Direction::Input => u.input(&port.name, p.of(r, port.ty)),
                Direction::Output if r.below(4) > 0 => p.signals.push(u.output(&port.name)),
                Direction::Output => {}
            }
        }
    }
}

fn operator(r: &mut Random, p: &Pool) -> Signal {
    let a = p.any(r);
    let b = p.of(r, a.ty());
    let w = a.width();
    match r.below(32) {
        0 => a + b,
        1 => a - b,
        2 => a.add_full(b),
        3 => a.sub_full(b),
        4 => fit(a, Type { width: w.min(70), ..a.ty() }) * fit(b, Type { width: w.min(33), ..a.ty() }),
        5 => -a,
        6 => a.extend(w + r.below(40)),
        7 => a.trunc(1 + r.below(w)),
        8 => a.as_signed(),
        9 => a.as_unsigned(),
        10 => {
            let lo = r.below(w);
            a.slice(lo, 1 + r.below(w - lo))
        }
        11 => cat(&[a.trunc(w.min(70)), p.bit(r), fit(b, unsigned(w.min(20)))]),
        12 => fit(a, unsigned(w.min(20))).repeat(1 + r.below(5)),
        13 | 14 => p.bit(r).mux(a, b),
        15 => {
            let items: Vec<Signal> = (0..1 + r.below(6)).map(|_| p.of(r, a.ty())).collect();
            let width = r.pick(&[1, 2, 3, 5]);
            p.of(r, unsigned(width)).select(&items)
        }
        16 => r.pick(&[a.eq(b), a.ne(b), a.lt(b), a.le(b), a.gt(b), a.ge(b)]),
        17 => a & b,
        18 => a | b,
        19 => a ^ b,
        20 => !a,
        21 => r.pick(&[a.reduce_and(), a.reduce_or(), a.reduce_xor(), a.is_zero()]),
        22 => a.shl(r.below(w + 2)),
        23 => a.shr(r.below(w + 2)),
        24 => shift(r, p, a),
        25 => a.as_signed().sat(1 + r.below(w)),
        26 => a.round_shift(r.below(w + 1)),
        27 => r.pick(&[a.min(b), a.max(b)]),
        28 => {
            let lanes = fit(a, unsigned(w.div_ceil(4) * 4)).lanes(w.div_ceil(4));
            pack(&[lanes[3], lanes[1], lanes[2], lanes[0]])
        }
        29 => r.pick(&[a.eq_lit(0), a.ge_lit(0), a.lt_lit(0), a.add_lit(0), a.sub_lit(0), a.le_lit(0)]),
        30 => a.as_signed_ext(),
        _ => p.bit(r) & a.bit(0),
    }
}

fn shift(r: &mut Random, p: &Pool, a: Signal) -> Signal {
    let width = r.pick(&[1, 3, 5, 8]);
    let amount = p.of(r, unsigned(width));
    if r.below(2) == 0 { a.shl_dyn(amount) } else { a.shr_dyn(amount) }
}
