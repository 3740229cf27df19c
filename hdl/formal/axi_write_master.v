// What the write channels of an AXI4 master must keep, on a port that keeps its own rules (AMBA AXI, A3.2 and A3.4).
// One burst, any of the first 16, is followed from its address to its last beat.
`default_nettype none
module axi_write_master #(
  parameter BYTES = 8,      // of a beat
  parameter LONGEST = 256   // beats of a burst
) (
  input wire clk,
  input wire rst,
  input wire aw_valid,
  input wire [39:0] aw_addr,
  input wire [7:0] aw_len,
  input wire aw_ready,
  input wire w_valid,
  input wire [8*BYTES-1:0] w_data,
  input wire [BYTES-1:0] w_strb,
  input wire w_last,
  input wire w_ready,
  input wire b_valid,
  input wire b_ready
);
  reg past = 0;
  reg past_rst = 1;
  reg p_aw_valid, p_aw_ready, p_w_valid, p_w_ready, p_w_last, p_b_valid, p_b_ready;
  reg [39:0] p_aw_addr;
  reg [7:0] p_aw_len;
  reg [8*BYTES-1:0] p_w_data;
  reg [BYTES-1:0] p_w_strb;
  // Bursts announced, written to their end, and answered.
  reg [15:0] announced = 0, written = 0, answered = 0;
  // Beats of the burst that is being written.
  reg [8:0] beat = 0;
  (* anyconst *) reg [3:0] chosen;
  reg known = 0;
  reg [7:0] length;
  wire [12:0] end_of_burst = aw_addr[11:0] + (aw_len + 1) * BYTES;
  wire mine = written == chosen;
  wire [7:0] mine_length = known ? length : aw_len;
  wire mine_known = known | (aw_valid & announced == chosen);

  always @(posedge clk) begin
    past <= 1;
    past_rst <= rst;
    {p_aw_valid, p_aw_ready, p_aw_addr, p_aw_len} <= {aw_valid, aw_ready, aw_addr, aw_len};
    {p_w_valid, p_w_ready, p_w_last, p_w_data, p_w_strb} <= {w_valid, w_ready, w_last, w_data, w_strb};
    {p_b_valid, p_b_ready} <= {b_valid, b_ready};
    if (rst) begin
      {announced, written, answered, beat, known} <= 0;
    end else begin
      announced <= announced + (aw_valid & aw_ready);
      written <= written + (w_valid & w_ready & w_last);
      answered <= answered + (b_valid & b_ready);
      if (w_valid & w_ready) beat <= w_last ? 0 : beat + 1;
      if (aw_valid & aw_ready & announced == chosen) {known, length} <= {1'b1, aw_len};
    end
  end

  // The port, and the first 2^15 bursts.
  always @* assume(!announced[15] & !written[15]);
  always @* if (past & !rst) begin
    assume(!b_valid | (answered < announced & answered < written));
    if (!past_rst & p_b_valid & !p_b_ready) assume(b_valid);
  end
  always @* if (rst) assume(!b_valid);

  // The master.
  always @* if (past & !past_rst & !rst) begin
    if (p_aw_valid & !p_aw_ready) assert(aw_valid & aw_addr == p_aw_addr & aw_len == p_aw_len);
    if (p_w_valid & !p_w_ready) assert(w_valid & w_last == p_w_last & w_data == p_w_data & w_strb == p_w_strb);
    if (aw_valid) begin
      assert(aw_addr % BYTES == 0);
      assert(end_of_burst <= 4096);
      assert(aw_len < LONGEST);
    end
    if (w_valid) assert(beat < LONGEST);
    // The last beat of the followed burst is marked, and no other.
    if (w_valid & mine & mine_known) assert(w_last == (beat == mine_length));
  end
  always @* if (past & past_rst) assert(!aw_valid & !w_valid);
endmodule
