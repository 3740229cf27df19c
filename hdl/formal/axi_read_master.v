// What the read channels of an AXI4 master must keep, on a port that keeps its own rules (AMBA AXI, A3.2 and A3.4).
`default_nettype none
module axi_read_master #(
  parameter BYTES = 8,      // of a beat
  parameter LONGEST = 256   // beats of a burst
) (
  input wire clk,
  input wire rst,
  input wire ar_valid,
  input wire [39:0] ar_addr,
  input wire [7:0] ar_len,
  input wire ar_ready,
  input wire r_ready,
  input wire r_valid
);
  reg past = 0;
  reg past_rst = 1;
  reg p_ar_valid, p_ar_ready, p_r_valid, p_r_ready;
  reg [39:0] p_ar_addr;
  reg [7:0] p_ar_len;
  // Beats asked for that did not come.
  reg [15:0] beats = 0;
  wire [12:0] end_of_burst = ar_addr[11:0] + (ar_len + 1) * BYTES;

  always @(posedge clk) begin
    past <= 1;
    past_rst <= rst;
    {p_ar_valid, p_ar_ready, p_ar_addr, p_ar_len} <= {ar_valid, ar_ready, ar_addr, ar_len};
    {p_r_valid, p_r_ready} <= {r_valid, r_ready};
    if (rst) beats <= 0;
    else beats <= beats + (ar_valid & ar_ready ? ar_len + 1 : 0) - (r_valid & r_ready);
  end

  // The port.
  always @* if (past & !rst) begin
    assume(!r_valid | beats != 0);
    if (!past_rst & p_r_valid & !p_r_ready) assume(r_valid);
  end
  always @* if (rst) assume(!r_valid);

  // The master.
  always @* if (past & !past_rst & !rst & p_ar_valid & !p_ar_ready)
    assert(ar_valid & ar_addr == p_ar_addr & ar_len == p_ar_len);
  always @* if (past & !past_rst & !rst & ar_valid) begin
    assert(ar_addr % BYTES == 0);
    assert(end_of_burst <= 4096);
    assert(ar_len < LONGEST);
  end
  always @* if (past & past_rst) assert(!ar_valid);
endmodule
