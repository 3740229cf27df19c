// Whoever writes counts the room.
reg [15:0] inside = 0;
always @(posedge clk) inside <= rst ? 0 : inside + in_valid - (out_valid & out_ready);
always @* assume(!in_valid | inside < DEPTH);
fifo_order #(.BITS(BITS), .DEPTH(DEPTH)) u_check (
  .clk(clk), .rst(rst), .push(in_valid), .in_data(in_data),
  .out_valid(out_valid), .pop(out_valid & out_ready), .out_data(out_data)
);
