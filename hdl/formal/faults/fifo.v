// A queue of two. 1: it takes a third; 2: it swaps them; 3: it shows one that is not there; 4: it loses a bit.
module bench (input wire clk, input wire rst, input wire in_valid, input wire [1:0] in_data, input wire out_ready);
  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume(rst);
  reg [1:0] count = 0;
  reg [1:0] first, second;
  wire in_ready = count < 2 | (`FAULT == 1 & count == 2);
  wire out_valid = count != 0 | (`FAULT == 3 & in_valid & started);
  wire [1:0] out_data = `FAULT == 2 & count == 2 ? second : `FAULT == 4 ? first & 2'b01 : first;
  wire push = in_valid & in_ready, pop = out_valid & out_ready;
  always @(posedge clk) begin
    if (rst) count <= 0;
    else count <= count + push - pop;
    if (pop) first <= count == 2 ? second : in_data;
    else if (count == 0) first <= in_data;
    if (push & (count == 1 & !pop | count == 2)) second <= in_data;
  end
  fifo_order #(.BITS(2), .DEPTH(2)) u_check (
    .clk(clk), .rst(rst), .push(push), .in_data(in_data), .out_valid(out_valid), .pop(pop), .out_data(out_data)
  );
endmodule
