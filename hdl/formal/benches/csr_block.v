// The compute unit announces a result at most every other cycle; a write of the host waits for it.
reg announced = 0;
always @(posedge clk) announced <= reg_write & !rst;
always @* if (announced) assume(!reg_write);
axi_lite_slave u_check (
  .clk(clk), .rst(rst),
  .awvalid(s_axi_awvalid), .awaddr(s_axi_awaddr), .awready(s_axi_awready),
  .wvalid(s_axi_wvalid), .wdata(s_axi_wdata), .wstrb(s_axi_wstrb), .wready(s_axi_wready),
  .bvalid(s_axi_bvalid), .bresp(s_axi_bresp), .bready(s_axi_bready),
  .arvalid(s_axi_arvalid), .araddr(s_axi_araddr), .arready(s_axi_arready),
  .rvalid(s_axi_rvalid), .rdata(s_axi_rdata), .rresp(s_axi_rresp), .rready(s_axi_rready)
);
