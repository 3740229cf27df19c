// What a descriptor promises; it stays until it is taken.
always @* assume(load_base % 64 == 0 & load_register_stride % 64 == 0 & load_ddr_stride % 64 == 0);
reg waiting = 0;
reg [511:0] before;
always @(posedge clk) {waiting, before} <= {desc_valid & !desc_ready & !rst, desc};
always @* if (waiting & !rst) assume(desc_valid & desc == before);
axi_read_master #(.BYTES(PORT_BYTES)) u_check (
  .clk(clk), .rst(rst),
  .ar_valid(ar_valid), .ar_addr(ar_addr), .ar_len(ar_len), .ar_ready(ar_ready), .r_ready(r_ready), .r_valid(r_valid)
);
