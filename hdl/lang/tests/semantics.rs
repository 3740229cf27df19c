//! Operators, registers and memories do what their documentation says, stated a second way in plain integers.

use sagen_lang::*;

/// The value of `f` for operands of these types.
fn eval(operands: &[(Type, i128)], f: impl Fn(&[Signal]) -> Signal) -> Bits {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let inputs: Vec<Signal> = (0..operands.len()).map(|i| m.input(&format!("x{i}"), operands[i].0)).collect();
        m.output("y", f(&inputs));
    });
    d.finish().unwrap_or_else(|e| panic!("{e}"));
    let mut sim = Sim::new(&d, top).unwrap();
    for (i, (ty, value)) in operands.iter().enumerate() {
        sim.set(&format!("x{i}"), Bits::of(*ty, *value));
    }
    sim.get("y")
}

/// Values of a type: all of a narrow one, else extremes and some between.
fn values(ty: Type) -> Vec<i128> {
    let (low, high) = match ty.signed {
        true => (-(1i128 << (ty.width - 1)), (1i128 << (ty.width - 1)) - 1),
        false => (0, (1i128 << ty.width) - 1),
    };
    if ty.width <= 4 {
        return (low..=high).collect();
    }
    let middle = [-100, -17, -8, -7, -3, -2, -1, 0, 1, 2, 3, 7, 8, 17, 100];
    let wanted = middle.into_iter().chain([low, low + 1, high - 1, high, high / 3, low / 3]);
    wanted.filter(|v| (low..=high).contains(v)).collect()
}

fn types() -> Vec<Type> {
    [1, 2, 4, 8, 33, 64, 65, 100].into_iter().flat_map(|w| [unsigned(w), signed(w)]).collect()
}

/// Checks a one-operand operator on many values; the model gives the exact number, reduced to the result's type.
fn check_one(f: impl Fn(Signal) -> Signal, wanted: impl Fn(Type) -> bool, model: impl Fn(Type, i128) -> i128) {
    for ty in types().into_iter().filter(|&t| wanted(t)) {
        for x in values(ty) {
            let y = eval(&[(ty, x)], |s| f(s[0]));
            assert_eq!(y, Bits::of(y.ty(), model(ty, x)), "{ty} {x}: {y:?}");
        }
    }
}

fn check_two(f: impl Fn(Signal, Signal) -> Signal, model: impl Fn(i128, i128) -> i128) {
    for ty in [unsigned(4), signed(4), unsigned(33), signed(64), signed(65)] {
        for a in values(ty).into_iter().step_by(2) {
            for b in values(ty) {
                let y = eval(&[(ty, a), (ty, b)], |s| f(s[0], s[1]));
                assert_eq!(y, Bits::of(y.ty(), model(a, b)), "{ty} {a} {b}: {y:?}");
            }
        }
    }
}

#[test]
fn sums_and_differences_wrap_and_full_ones_do_not() {
    check_two(|a, b| a + b, |a, b| a + b);
    check_two(|a, b| a - b, |a, b| a - b);
    check_two(Signal::add_full, |a, b| a + b);
    check_two(Signal::sub_full, |a, b| a - b);
    let full = |a, b| eval(&[(unsigned(8), a), (unsigned(8), b)], |s| s[0].sub_full(s[1])).to_i64();
    assert_eq!(full(3, 250), -247);
    let sum = |ty, a, b| eval(&[(ty, a), (ty, b)], |s| s[0].add_full(s[1])).to_i64();
    assert_eq!((sum(unsigned(8), 255, 255), sum(signed(8), -128, -128)), (510, -256));
}

#[test]
fn products_are_exact_for_both_signs() {
    for (a_ty, b_ty) in
        [(signed(8), signed(5)), (unsigned(8), unsigned(5)), (signed(33), signed(40)), (unsigned(60), unsigned(9))]
    {
        for a in values(a_ty) {
            for b in values(b_ty) {
                let y = eval(&[(a_ty, a), (b_ty, b)], |s| s[0] * s[1]);
                assert_eq!((y.width(), y.to_i128()), (a_ty.width + b_ty.width, a * b));
            }
        }
    }
    let mixed = eval(&[(unsigned(8), 255), (signed(8), -128)], |s| s[0].as_signed_ext() * s[1]);
    assert_eq!((mixed.width(), mixed.to_i64()), (17, -32640));
}

#[test]
fn comparisons_follow_the_sign() {
    check_two(|a, b| a.lt(b), |a, b| i128::from(a < b));
    check_two(|a, b| a.le(b), |a, b| i128::from(a <= b));
    check_two(|a, b| a.gt(b), |a, b| i128::from(a > b));
    check_two(|a, b| a.ge(b), |a, b| i128::from(a >= b));
    check_two(|a, b| a.eq(b), |a, b| i128::from(a == b));
    check_two(|a, b| a.ne(b), |a, b| i128::from(a != b));
    check_two(Signal::min, i128::min);
    check_two(Signal::max, i128::max);
}

#[test]
fn bitwise_operators_and_reductions_see_all_bits() {
    check_two(|a, b| a & b, |a, b| a & b);
    check_two(|a, b| a | b, |a, b| a | b);
    check_two(|a, b| a ^ b, |a, b| a ^ b);
    check_one(|a| !a, |_| true, |_, x| !x);
    check_one(Signal::neg, |_| true, |_, x| -x);
    let bits = |ty: Type, x: i128| x & ((1i128 << ty.width) - 1);
    check_one(Signal::reduce_or, |_| true, |_, x| i128::from(x != 0));
    check_one(Signal::reduce_and, |_| true, |ty, x| i128::from(bits(ty, !x) == 0));
    check_one(Signal::reduce_xor, |_| true, |ty, x| i128::from(bits(ty, x).count_ones() % 2));
    check_one(Signal::is_zero, |_| true, |_, x| i128::from(x == 0));
}

#[test]
fn widths_and_signs_change_only_as_asked() {
    check_one(|a| a.extend(101), |_| true, |_, x| x);
    check_one(|a| a.trunc(2), |ty| ty.width >= 2, |_, x| x);
    check_one(Signal::as_signed, |_| true, |_, x| x);
    check_one(Signal::as_unsigned, |_| true, |_, x| x);
    check_one(Signal::as_signed_ext, |_| true, |_, x| x);
    let y = eval(&[(unsigned(3), 5)], |s| s[0].as_signed_ext());
    assert_eq!((y.ty(), y.to_i64()), (signed(4), 5));
    assert_eq!(eval(&[(unsigned(3), 5)], |s| s[0].as_signed()).to_i64(), -3);
}

#[test]
fn slices_lanes_and_packing_keep_the_order() {
    let y = eval(&[(unsigned(96), 0x1122_3344_5566_7788_99aa_bbcc)], |s| {
        let lanes = s[0].lanes(8);
        cat(&[lanes[11], lanes[0], s[0].slice(60, 8), pack(&[lanes[1], lanes[2]]), s[0].bit(3).repeat(4)])
    });
    assert_eq!(y.to_u64(), 0x11c_c45a_abbf);
    assert_eq!(y.width(), 44);
}

#[test]
fn constant_shifts_keep_the_width() {
    for n in [0, 1, 3, 8, 64, 70, 200] {
        let held = |x: i128| if n > 126 { 0 } else { x << n };
        check_one(|a| a.shl(n), |ty| ty.width <= 65 || n < 26, |ty, x| if n >= ty.width { 0 } else { held(x) });
        check_one(|a| a.shr(n), |_| true, |_, x| x >> n.min(127));
    }
}

#[test]
fn dynamic_shifts_equal_constant_ones() {
    for ty in [unsigned(8), signed(8), unsigned(70), signed(70), signed(64)] {
        for x in values(ty) {
            for n in [0u32, 1, 7, 8, 63, 64, 69, 70, 71, 255] {
                let amount = (unsigned(8), i128::from(n));
                let right = eval(&[(ty, x), amount], |s| s[0].shr_dyn(s[1]));
                let left = eval(&[(ty, x), amount], |s| s[0].shl_dyn(s[1]));
                assert_eq!(right, eval(&[(ty, x)], |s| s[0].shr(n)), "{ty} {x} >> {n}");
                assert_eq!(left, eval(&[(ty, x)], |s| s[0].shl(n)), "{ty} {x} << {n}");
            }
        }
    }
}

#[test]
fn saturation_gives_the_nearest_extreme() {
    for width in [1, 2, 8, 32, 33, 120] {
        let limit = 1i128 << (width - 1);
        check_one(|a| a.sat(width), |ty| ty.signed, |_, x| x.clamp(-limit, limit - 1));
    }
}

#[test]
fn rounding_shift_rounds_half_up_without_overflow() {
    for n in [0u32, 1, 2, 4, 8] {
        let half = if n == 0 { 0 } else { 1i128 << (n - 1) };
        check_one(|a| a.round_shift(n), |ty| ty.width >= n, |_, x| (x + half) >> n);
    }
}

#[test]
fn choices_take_the_selected_item_and_the_last_beyond() {
    for index in 0..8 {
        let items = [(unsigned(3), index), (signed(8), 10), (signed(8), -20), (signed(8), 30)];
        let y = eval(&items, |s| s[0].select(&s[1..]));
        assert_eq!(y.to_i64(), [10, -20, 30][(index as usize).min(2)]);
    }
    for bit_value in 0..2 {
        let y = eval(&[(bit(), bit_value), (signed(70), -5), (signed(70), 6)], |s| s[0].mux(s[1], s[2]));
        assert_eq!(y.to_i64(), [6, -5][bit_value as usize]);
    }
}

#[test]
fn comparisons_with_constants_and_extremes_are_right() {
    for x in [0, 1, 127, 255] {
        let at = |f: fn(Signal) -> Signal| eval(&[(unsigned(8), x)], |s| f(s[0])).to_u64() == 1;
        assert!(!at(|s| s.lt_lit(0)));
        assert!(at(|s| s.ge_lit(0)) && at(|s| s.le_lit(255)) && !at(|s| s.gt_lit(255)));
        assert_eq!(at(|s| s.lt_lit(127)), x < 127);
        assert_eq!(at(|s| s.eq_lit(127)), x == 127);
        assert_eq!(at(|s| s.ne_lit(1)), x != 1);
    }
}

/// A counter with everything that can be said about a register.
fn counter() -> Sim {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let (up, down, load) = (m.input("up", bit()), m.input("down", bit()), m.input("load", bit()));
        let count = m.reg("count", signed(8)).reset(-5);
        m.when(up, || m.set(count, count.add_lit(1))).elsewhen(down, || m.set(count, count.sub_lit(1))).otherwise(
            || {
                m.when(load, || m.set(count, m.lit(signed(8), 100)));
            },
        );
        m.when(up & down, || m.set(count, m.lit(signed(8), 0)));
        m.output("value", count);
        m.output("delayed", m.delay("late", count, 2));
        m.output("held", m.reg_en("kept", load, count));
    });
    d.finish().unwrap();
    Sim::new(&d, top).unwrap()
}

#[test]
fn the_last_assignment_wins_and_reset_wins_over_all() {
    let mut sim = counter();
    let drive = |sim: &mut Sim, up: bool, down: bool, load: bool| {
        sim.set("up", up);
        sim.set("down", down);
        sim.set("load", load);
        sim.step();
        sim.get("value").to_i64()
    };
    sim.set("up", true);
    sim.reset();
    assert_eq!(sim.get("value").to_i64(), -5);
    assert_eq!(drive(&mut sim, true, false, false), -4);
    assert_eq!(drive(&mut sim, false, true, true), -5);
    assert_eq!(drive(&mut sim, false, false, false), -5);
    assert_eq!(drive(&mut sim, false, false, true), 100);
    assert_eq!(drive(&mut sim, true, true, false), 0);
    assert_eq!((sim.get("delayed").to_i64(), sim.get("held").to_i64()), (-5, -5));
}

#[test]
fn switches_and_state_machines_take_one_branch() {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let x = m.input("x", unsigned(2));
        let y = m.reg("y_reg", unsigned(8));
        m.switch(x)
            .case(0, || m.set(y, lit(8, 10)))
            .case(3, || m.set(y, lit(8, 13)))
            .otherwise(|| m.set(y, lit(8, 99)));
        let st = m.fsm("state", &["idle", "run", "done"]);
        m.switch_state(&st).case("idle", || m.set_state(&st, "run")).case("run", || {
            m.when(x.eq_lit(3), || m.set_state(&st, "done"));
        });
        m.output("y", y);
        m.output("running", st.is("run"));
        m.output("done", st.is("done"));
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.reset();
    let seen: Vec<(u64, u64, u64)> = [0u8, 1, 2, 3, 3]
        .map(|x| {
            sim.set("x", x);
            sim.step();
            (sim.get("y").to_u64(), sim.get("running").to_u64(), sim.get("done").to_u64())
        })
        .to_vec();
    assert_eq!(seen, [(10, 1, 0), (99, 1, 0), (99, 1, 0), (13, 0, 1), (13, 0, 1)]);
}

#[test]
fn memories_read_old_data_hold_and_write_lanes() {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let (we, re) = (m.input("we", bit()), m.input("re", bit()));
        let (addr, data, mask) =
            (m.input("addr", unsigned(4)), m.input("data", unsigned(128)), m.input("mask", unsigned(2)));
        let ram = m.memory("ram", 10, 128).style(RamStyle::Block).byte_enable(64);
        ram.write_masked(we, addr, data, mask);
        m.output("q", ram.read(re, addr));
        let small = m.memory("tiny", 16, 5).style(RamStyle::Distributed);
        small.write(we, addr, data.slice(0, 5));
        m.output("now", small.read_async(addr));
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    let word = |hi: u64, lo: u64| Bits::from_limbs(&[lo, hi], 128);
    let mut cycle = |we: bool, re: bool, addr: u8, data: Bits, mask: u8| {
        sim.set("we", we);
        sim.set("re", re);
        sim.set("addr", addr);
        sim.set("data", data);
        sim.set("mask", mask);
        let now = sim.get("now").to_u64();
        sim.step();
        (sim.get("q"), now)
    };
    cycle(true, true, 3, word(1, 2), 3);
    assert_eq!(cycle(true, true, 3, word(7, 8), 2), (word(1, 2), 2), "old data while writing");
    assert_eq!(cycle(false, true, 3, word(0, 0), 0), (word(7, 2), 8), "one lane was written");
    assert_eq!(cycle(true, false, 4, word(5, 5), 3).0, word(7, 2), "holds without enable");
    cycle(true, true, 12, word(9, 9), 3);
    assert_eq!(cycle(false, true, 12, word(0, 0), 0).0, word(0, 0), "beyond the depth");
    assert_eq!(sim.peek_word("ram", 4), word(5, 5));
    sim.poke_word("ram", 0, 77u8);
    assert_eq!(sim.peek_word("ram", 0), word(0, 77));
}

#[test]
fn tables_give_their_values_now_or_a_cycle_later() {
    let mut d = Design::new();
    let top = d.module("top", |m| {
        let (i, en) = (m.input("i", unsigned(2)), m.input("en", bit()));
        let rom = m.rom("squares", &[0, 1, 4, -9], 8);
        m.output("now", rom.lookup(i).as_signed());
        m.output("later", rom.read(en, i));
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.set("i", 3);
    sim.set("en", true);
    sim.step();
    sim.set("i", 2);
    sim.set("en", false);
    sim.step();
    assert_eq!((sim.get("now").to_i64(), sim.get("later").to_u64()), (4, 0xf7));
}

#[test]
fn wires_and_instances_connect_in_any_order() {
    let mut d = Design::new();
    let inc = d.module("inc", |m| {
        let x = m.input("x", unsigned(8));
        let y = m.net("sum", x.add_lit(1));
        m.output("y", y);
        m.output("last", m.reg_next("last_x", x));
    });
    let top = d.module("top", |m| {
        let x = m.input("x", unsigned(8));
        let middle = m.wire("middle", unsigned(8));
        let second = m.instance("u_b", inc);
        second.input("x", middle);
        m.output("y", second.output("y"));
        let first = m.instance("u_a", inc);
        middle.drive(first.output("y"));
        first.input("x", x);
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.set("x", 40u8);
    sim.step();
    assert_eq!(sim.get("y").to_u64(), 42);
    assert_eq!(sim.peek("u_b.sum").to_u64(), 42);
    assert_eq!(sim.peek("u_b.last").to_u64(), 41);
    assert_eq!(sim.peek("u_a.x").to_u64(), 40);
    assert_eq!(sim.peek("middle").to_u64(), 41);
}

#[test]
fn bits_convert_and_refuse_what_does_not_fit() {
    assert_eq!(Bits::of(signed(8), -1).to_i64(), -1);
    assert_eq!(Bits::of(signed(8), -1).to_u64(), 255);
    assert_eq!(format!("{:?}", Bits::of(signed(9), -1)), "9'sh1ff");
    assert_eq!(Bits::of(signed(200), -7).to_i128(), -7);
    let mut d = Design::new();
    let top = d.module("top", |m| m.output("y", m.input("x", signed(8))));
    let mut sim = Sim::new(&d, top).unwrap();
    sim.set("x", 0xffu64);
    assert_eq!(sim.get("y").to_i64(), -1);
    sim.set("x", -128);
    assert_eq!(sim.get("y").to_i64(), -128);
    let refused = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sim.set("x", 256)));
    assert_eq!(
        refused.unwrap_err().downcast_ref::<String>().unwrap(),
        "input `x` is signed(8); 32'sh00000100 does not fit"
    );
}

#[test]
fn a_violated_assertion_stops_the_interpreter() {
    let mut d = Design::new();
    let leaf = d.module("leaf", |m| {
        let (x, on) = (m.input("x", unsigned(4)), m.input("on", bit()));
        m.when(on, || m.assert(x.lt_lit(9), "x is a digit"));
    });
    let top = d.module("top", |m| {
        let u = m.instance("u_leaf", leaf);
        u.input("x", m.input("x", unsigned(4)));
        u.input("on", m.input("on", bit()));
    });
    d.finish().unwrap();
    let mut sim = Sim::new(&d, top).unwrap();
    sim.set("x", 9u8);
    sim.step();
    sim.set("on", true);
    let stopped = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| sim.step()));
    assert_eq!(
        stopped.unwrap_err().downcast_ref::<String>().unwrap(),
        "cycle 1: u_leaf.assertion failed: x is a digit"
    );
}

#[test]
fn a_register_with_an_initial_value_keeps_its_state_over_a_reset_and_an_instance_may_have_its_own() {
    let mut d = Design::new();
    let counter = d.module("counter", |m| {
        let count = m.reg("count", unsigned(8)).reset(3);
        m.set(count, count.add_lit(1));
        m.output("q", count);
    });
    let top = d.module("top", |m| {
        let clear = m.input("clear", bit());
        let kept = m.reg("kept", unsigned(8)).initial(200);
        m.set(kept, kept.add_lit(1));
        m.output("kept_q", kept);
        m.output("own", m.instance("u_own", counter).reset_by(clear).output("q"));
        m.output("shared", m.instance("u_shared", counter).output("q"));
    });
    let mut sim = Sim::new(&d, top).unwrap();
    let values = |sim: &mut Sim| ["kept_q", "own", "shared"].map(|port| sim.get(port).to_u64());
    assert_eq!(values(&mut sim)[0], 200);
    sim.set("clear", true);
    sim.reset();
    assert_eq!(values(&mut sim), [201, 3, 3]);
    sim.set("clear", false);
    sim.step();
    sim.reset();
    assert_eq!(values(&mut sim), [203, 5, 3]);
    sim.set("clear", true);
    sim.step();
    assert_eq!(values(&mut sim), [204, 3, 4]);
    let text: String = verilog::print(&d, top).into_iter().map(|(_, text)| text).collect();
    assert!(text.contains("  initial begin\n    kept = 8'd200;\n  end\n"), "{text}");
    assert!(text.contains(".rst(clear)") && text.contains(".rst(rst)"), "{text}");
}
