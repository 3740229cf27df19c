fifo_order #(.BITS(BITS), .DEPTH(DEPTH)) u_check (
  .clk(clk), .rst(rst), .push(in_valid & in_ready), .in_data(in_data),
  .out_valid(out_valid), .pop(out_valid & out_ready), .out_data(out_data)
);
