// Regions lie at multiples of the port width; a lane is started when it is ready.
always @* assume(address % PORT_BYTES == 0);
always @* if (start) assume(ready);
axi_read_master #(.BYTES(PORT_BYTES)) u_check (
  .clk(clk), .rst(rst),
  .ar_valid(ar_valid), .ar_addr(ar_addr), .ar_len(ar_len), .ar_ready(ar_ready), .r_ready(r_ready), .r_valid(r_valid)
);
