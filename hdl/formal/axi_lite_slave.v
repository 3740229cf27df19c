// What an AXI4-Lite slave must keep, whatever a master does that keeps its own rules (AMBA AXI, A3.2 and B1.1).
`default_nettype none
module axi_lite_slave (
  input wire clk,
  input wire rst,
  input wire awvalid,
  input wire [15:0] awaddr,
  input wire awready,
  input wire wvalid,
  input wire [31:0] wdata,
  input wire [3:0] wstrb,
  input wire wready,
  input wire bvalid,
  input wire [1:0] bresp,
  input wire bready,
  input wire arvalid,
  input wire [15:0] araddr,
  input wire arready,
  input wire rvalid,
  input wire [31:0] rdata,
  input wire [1:0] rresp,
  input wire rready
);
  // Cycles in which an answer must come while its master takes it: step registers are cleared first, one a cycle.
  localparam ANSWER = 40;

  reg past = 0;
  reg past_rst = 1;
  reg p_awvalid, p_awready, p_wvalid, p_wready, p_bvalid, p_bready, p_arvalid, p_arready, p_rvalid, p_rready;
  reg [15:0] p_awaddr, p_araddr;
  reg [31:0] p_wdata, p_rdata;
  reg [3:0] p_wstrb;
  reg [1:0] p_bresp, p_rresp;
  // Accepted and not answered.
  reg [3:0] addresses = 0, words = 0, reads = 0;
  // Cycles since an answer is due.
  reg [5:0] write_age = 0, read_age = 0;

  always @(posedge clk) begin
    past <= 1;
    past_rst <= rst;
    {p_awvalid, p_awready, p_awaddr} <= {awvalid, awready, awaddr};
    {p_wvalid, p_wready, p_wdata, p_wstrb} <= {wvalid, wready, wdata, wstrb};
    {p_bvalid, p_bready, p_bresp} <= {bvalid, bready, bresp};
    {p_arvalid, p_arready, p_araddr} <= {arvalid, arready, araddr};
    {p_rvalid, p_rready, p_rdata, p_rresp} <= {rvalid, rready, rdata, rresp};
    if (rst) begin
      {addresses, words, reads, write_age, read_age} <= 0;
    end else begin
      addresses <= addresses + (awvalid & awready) - (bvalid & bready);
      words <= words + (wvalid & wready) - (bvalid & bready);
      reads <= reads + (arvalid & arready) - (rvalid & rready);
      write_age <= (awvalid | addresses != 0) & (wvalid | words != 0) & bready & !bvalid ? write_age + 1 : 0;
      read_age <= (arvalid | reads != 0) & rready & !rvalid ? read_age + 1 : 0;
    end
  end

  // The master.
  always @* if (past & !past_rst & !rst) begin
    if (p_awvalid & !p_awready) assume(awvalid & awaddr == p_awaddr);
    if (p_wvalid & !p_wready) assume(wvalid & wdata == p_wdata & wstrb == p_wstrb);
    if (p_arvalid & !p_arready) assume(arvalid & araddr == p_araddr);
  end
  always @* if (rst) assume(!awvalid & !wvalid & !arvalid);

  // The slave.
  always @* if (past & !past_rst & !rst) begin
    if (p_bvalid & !p_bready) assert(bvalid & bresp == p_bresp);
    if (p_rvalid & !p_rready) assert(rvalid & rresp == p_rresp & rdata == p_rdata);
    assert(!bvalid | (addresses != 0 & words != 0));
    assert(!rvalid | reads != 0);
    assert(!addresses[3] & !words[3] & !reads[3]);
    assert(bresp != 1 & rresp != 1);
    assert(write_age < ANSWER & read_age < ANSWER);
  end
  always @* if (past & past_rst) assert(!bvalid & !rvalid);
endmodule
