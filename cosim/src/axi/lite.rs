//! The host's AXI4-Lite master for `s_axi_*`: one access at a time, registered like the memory.

use crate::bridge::{BridgeError, Port, Sim};

/// An access that went wrong.
#[derive(Debug, thiserror::Error)]
pub enum CsrError {
    /// The slave answered with an error.
    #[error("CSR {access} at {address:#06x}: response {response} (2 = SLVERR, 3 = DECERR)")]
    Response {
        /// "read" or "write".
        access: &'static str,
        /// Where.
        address: u16,
        /// xRESP.
        response: u8,
    },
    /// The slave did not answer.
    #[error("CSR {access} at {address:#06x}: no answer in {cycles} cycles, waiting for {waiting}")]
    Timeout {
        /// "read" or "write".
        access: &'static str,
        /// Where.
        address: u16,
        /// How long.
        cycles: u64,
        /// Which signals.
        waiting: &'static str,
    },
}

/// The master. Its user steps the simulation and calls `before_edge` and `after_edge` in every cycle of an access.
pub struct CsrMaster {
    aw_addr: Port<u16>,
    aw_valid: Port<u8>,
    aw_ready: Port<u8>,
    w_data: Port<u32>,
    w_strb: Port<u8>,
    w_valid: Port<u8>,
    w_ready: Port<u8>,
    b_resp: Port<u8>,
    b_valid: Port<u8>,
    b_ready: Port<u8>,
    ar_addr: Port<u16>,
    ar_valid: Port<u8>,
    ar_ready: Port<u8>,
    r_data: Port<u32>,
    r_resp: Port<u8>,
    r_valid: Port<u8>,
    r_ready: Port<u8>,
    state: State,
}

/// The access under way. `true` in a field: that handshake has not happened.
#[derive(Clone, Copy)]
enum State {
    Idle,
    Write { address: u16, data: u32, aw: bool, w: bool },
    Read { address: u16, ar: bool },
    Written { address: u16, response: u8 },
    HasRead { address: u16, data: u32, response: u8 },
}

impl CsrMaster {
    /// Attaches to the `s_axi_*` ports of the design.
    pub fn attach(sim: &Sim) -> Result<Self, BridgeError> {
        let bit = |name: &str| sim.port::<u8>(&format!("s_axi_{name}"));
        let master = Self {
            aw_addr: sim.port("s_axi_awaddr")?,
            aw_valid: bit("awvalid")?,
            aw_ready: bit("awready")?,
            w_data: sim.port("s_axi_wdata")?,
            w_strb: bit("wstrb")?,
            w_valid: bit("wvalid")?,
            w_ready: bit("wready")?,
            b_resp: bit("bresp")?,
            b_valid: bit("bvalid")?,
            b_ready: bit("bready")?,
            ar_addr: sim.port("s_axi_araddr")?,
            ar_valid: bit("arvalid")?,
            ar_ready: bit("arready")?,
            r_data: sim.port("s_axi_rdata")?,
            r_resp: bit("rresp")?,
            r_valid: bit("rvalid")?,
            r_ready: bit("rready")?,
            state: State::Idle,
        };
        Ok(master)
    }

    /// Gives up any access and lowers every signal.
    pub fn reset(&mut self) {
        self.state = State::Idle;
        self.after_edge();
    }

    /// Begins a write; drive takes effect at once, so call it after an edge.
    pub fn start_write(&mut self, address: u16, data: u32) {
        self.state = State::Write { address, data, aw: true, w: true };
        self.after_edge();
    }

    /// Begins a read; as `start_write`.
    pub fn start_read(&mut self, address: u16) {
        self.state = State::Read { address, ar: true };
        self.after_edge();
    }

    /// Samples the slave.
    pub fn before_edge(&mut self) {
        match &mut self.state {
            State::Write { address, aw, w, .. } => {
                let response = (!*aw && !*w && self.b_valid.get() != 0).then(|| self.b_resp.get());
                *aw &= self.aw_ready.get() == 0;
                *w &= self.w_ready.get() == 0;
                if let Some(response) = response {
                    self.state = State::Written { address: *address, response };
                }
            }
            State::Read { address, ar } => {
                if !*ar && self.r_valid.get() != 0 {
                    let (data, response) = (self.r_data.get(), self.r_resp.get());
                    self.state = State::HasRead { address: *address, data, response };
                } else {
                    *ar &= self.ar_ready.get() == 0;
                }
            }
            State::Idle | State::Written { .. } | State::HasRead { .. } => {}
        }
    }

    /// Drives the next cycle.
    pub fn after_edge(&self) {
        let mut valid = (false, false, false);
        let mut ready = (false, false);
        match self.state {
            State::Write { address, data, aw, w } => {
                self.aw_addr.set(address);
                self.w_data.set(data);
                self.w_strb.set(0xf);
                valid = (aw, w, false);
                ready = (!aw && !w, false);
            }
            State::Read { address, ar } => {
                self.ar_addr.set(address);
                valid = (false, false, ar);
                ready = (false, !ar);
            }
            State::Idle | State::Written { .. } | State::HasRead { .. } => {}
        }
        self.aw_valid.set(u8::from(valid.0));
        self.w_valid.set(u8::from(valid.1));
        self.ar_valid.set(u8::from(valid.2));
        self.b_ready.set(u8::from(ready.0));
        self.r_ready.set(u8::from(ready.1));
    }

    /// The result of a finished access: data of a read, zero for a write. `None` while it is under way.
    pub fn result(&mut self) -> Option<Result<u32, CsrError>> {
        let (access, address, data, response) = match self.state {
            State::Written { address, response } => ("write", address, 0, response),
            State::HasRead { address, data, response } => ("read", address, data, response),
            State::Idle | State::Write { .. } | State::Read { .. } => return None,
        };
        self.state = State::Idle;
        match response {
            0 => Some(Ok(data)),
            _ => Some(Err(CsrError::Response { access, address, response })),
        }
    }

    /// Gives up and says what was missing.
    pub fn give_up(&mut self, cycles: u64) -> CsrError {
        let (access, address, waiting) = match self.state {
            State::Write { address, aw: true, w: true, .. } => ("write", address, "AWREADY and WREADY"),
            State::Write { address, aw: true, .. } => ("write", address, "AWREADY"),
            State::Write { address, w: true, .. } => ("write", address, "WREADY"),
            State::Write { address, .. } | State::Written { address, .. } => ("write", address, "BVALID"),
            State::Read { address, ar: true } => ("read", address, "ARREADY"),
            State::Read { address, .. } | State::HasRead { address, .. } => ("read", address, "RVALID"),
            State::Idle => ("access", 0, "nothing"),
        };
        self.reset();
        CsrError::Timeout { access, address, cycles, waiting }
    }
}
