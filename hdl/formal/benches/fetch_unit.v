// Descriptors lie at multiples of their size.
always @* assume(address % 64 == 0);
axi_read_master #(.BYTES(PORT_BYTES)) u_check (
  .clk(clk), .rst(rst),
  .ar_valid(ar_valid), .ar_addr(ar_addr), .ar_len(ar_len), .ar_ready(ar_ready), .r_ready(r_ready), .r_valid(r_valid)
);
