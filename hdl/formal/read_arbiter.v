// Reads of three requesters on one port: each request goes out once and unchanged, and the beats of a burst go to whoever
// asked for it. One burst, any, is followed.
`default_nettype none
module read_arbiter_order (
  input wire clk,
  input wire rst,
  input wire [2:0] ask,
  input wire [2:0] granted,
  input wire [119:0] ask_addr,
  input wire [23:0] ask_len,
  input wire [2:0] given,
  input wire ar_valid,
  input wire ar_ready,
  input wire [39:0] ar_addr,
  input wire [7:0] ar_len,
  input wire r_valid,
  input wire r_ready,
  input wire r_last
);
  (* anyseq *) wire pick;
  reg past = 0;
  reg past_rst = 1;
  reg [2:0] p_ask, p_granted;
  reg [119:0] p_ask_addr;
  reg [23:0] p_ask_len;
  reg p_r_valid, p_r_ready, p_r_last, p_ar_valid, p_ar_ready;
  reg [39:0] p_ar_addr;
  reg [7:0] p_ar_len;
  reg followed = 0;
  reg [2:0] owner;
  // Bursts on their way, and those before the followed one.
  reg [7:0] flying = 0, ahead = 0;
  wire accepted = ar_valid & ar_ready;
  wire ended = r_valid & r_ready & r_last;

  always @(posedge clk) begin
    past <= 1;
    past_rst <= rst;
    {p_ask, p_granted, p_ask_addr, p_ask_len} <= {ask, granted, ask_addr, ask_len};
    {p_r_valid, p_r_ready, p_r_last} <= {r_valid, r_ready, r_last};
    {p_ar_valid, p_ar_ready, p_ar_addr, p_ar_len} <= {ar_valid, ar_ready, ar_addr, ar_len};
    if (rst) begin
      {flying, ahead, followed} <= 0;
    end else begin
      flying <= flying + accepted - ended;
      if (accepted & pick & !followed) begin
        {followed, owner} <= {1'b1, granted};
        ahead <= flying - ended;
      end else if (followed & ended) begin
        if (ahead == 0) followed <= 0;
        else ahead <= ahead - 1;
      end
    end
  end

  // Requesters and port.
  integer i;
  always @* if (past & !past_rst & !rst) begin
    for (i = 0; i < 3; i = i + 1)
      if (p_ask[i] & !p_granted[i])
        assume(ask[i] & ask_addr[40*i+:40] == p_ask_addr[40*i+:40] & ask_len[8*i+:8] == p_ask_len[8*i+:8]);
    if (p_r_valid & !p_r_ready) assume(r_valid & r_last == p_r_last);
  end
  always @* if (past & !rst) assume(!r_valid | flying != 0);
  always @* if (rst | past_rst) assume(ask == 0);
  always @* if (rst) assume(!r_valid);

  // The arbiter.
  integer k;
  always @* if (past & !past_rst & !rst) begin
    if (p_ar_valid & !p_ar_ready) assert(ar_valid & ar_addr == p_ar_addr & ar_len == p_ar_len);
    assert(granted == (granted & ask));
    assert((granted & (granted - 3'd1)) == 0);
    assert(|granted == accepted);
    for (k = 0; k < 3; k = k + 1)
      if (granted[k]) assert(ar_addr == ask_addr[40*k+:40] & ar_len == ask_len[8*k+:8]);
    assert((given & (given - 3'd1)) == 0);
    assert(|given == r_valid);
    if (followed & ahead == 0 & r_valid) assert(given == owner);
  end
  always @* if (past & past_rst) assert(!ar_valid);
endmodule
