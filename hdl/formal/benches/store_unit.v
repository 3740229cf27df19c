// What a descriptor promises; it stays until it is taken.
always @* assume(store_base % PORT_BYTES == 0 & store_from % PORT_BYTES == 0 & store_from_stride % PORT_BYTES == 0);
always @* assume(store_register_1_stride % PORT_BYTES == 0 & store_register_2_stride % PORT_BYTES == 0);
always @* assume(store_inner_ddr_stride % PORT_BYTES == 0 & store_inner_scratch_stride % PORT_BYTES == 0);
always @* assume(store_middle_ddr_stride % PORT_BYTES == 0 & store_middle_scratch_stride % PORT_BYTES == 0);
always @* assume(store_outer_ddr_stride % PORT_BYTES == 0 & store_outer_scratch_stride % PORT_BYTES == 0);
reg waiting = 0;
reg [511:0] before;
always @(posedge clk) {waiting, before} <= {desc_valid & !desc_ready & !rst, desc};
always @* if (waiting & !rst) assume(desc_valid & desc == before);
axi_write_master #(.BYTES(PORT_BYTES)) u_check (
  .clk(clk), .rst(rst),
  .aw_valid(aw_valid), .aw_addr(aw_addr), .aw_len(aw_len), .aw_ready(aw_ready),
  .w_valid(w_valid), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .w_ready(w_ready),
  .b_valid(b_valid), .b_ready(b_ready)
);
