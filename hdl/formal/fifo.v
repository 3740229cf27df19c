// A queue keeps order and content, and never takes more than it has room for: one element, any, is followed.
`default_nettype none
module fifo_order #(
  parameter BITS = 8,
  parameter DEPTH = 16
) (
  input wire clk,
  input wire rst,
  input wire push,
  input wire [BITS-1:0] in_data,
  input wire out_valid,
  input wire pop,
  input wire [BITS-1:0] out_data
);
  (* anyseq *) wire pick;
  reg past = 0;
  reg past_rst = 1;
  reg followed = 0;
  reg [BITS-1:0] data;
  reg [15:0] held = 0, ahead = 0;
  wire chosen = push & pick & !followed;

  always @(posedge clk) begin
    past <= 1;
    past_rst <= rst;
    if (rst) begin
      {held, ahead, followed} <= 0;
    end else begin
      held <= held + push - pop;
      if (chosen) begin
        {followed, data} <= {1'b1, in_data};
        ahead <= held - pop;
      end else if (followed & pop) begin
        if (ahead == 0) followed <= 0;
        else ahead <= ahead - 1;
      end
    end
  end

  always @* if (past & !past_rst & !rst) begin
    assert(held <= DEPTH);
    assert(!out_valid | held != 0);
    if (followed) assert(ahead < held);
    if (followed & ahead == 0 & out_valid) assert(out_data == data);
  end
  always @* if (past & past_rst) assert(!out_valid);
endmodule
