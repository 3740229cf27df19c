// A master that writes one burst after another. 1: data change while they wait; 2: the last beat is marked too early;
// 3: it is not marked; 4: a strobe changes; 5: a beat is taken back.
module bench (input wire clk, input wire rst, input wire aw_ready, input wire w_ready, input wire b_valid);
  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume(rst);
  reg aw_valid = 0, w_valid_q = 0, idle = 1;
  reg [39:0] aw_addr = 0;
  reg [1:0] beat = 0;
  reg [3:0] age = 0;
  wire [7:0] aw_len = 1;
  wire late = age == 2;
  wire w_valid = w_valid_q & !(`FAULT == 5 & late);
  wire [63:0] w_data = {62'd0, beat} + (`FAULT == 1 & late);
  wire [7:0] w_strb = `FAULT == 4 & late ? 8'h7f : 8'hff;
  wire w_last = `FAULT == 2 ? beat == 0 : `FAULT == 3 ? 1'b0 : beat == 1;
  wire b_ready = 1;
  always @(posedge clk) begin
    age <= w_valid_q & !w_ready ? age + !(&age) : 0;
    if (rst) {aw_valid, w_valid_q, idle, beat} <= {1'b0, 1'b0, 1'b1, 2'd0};
    else begin
      if (idle) {idle, aw_valid, w_valid_q, beat} <= {1'b0, 1'b1, 1'b1, 2'd0};
      if (aw_valid & aw_ready) aw_valid <= 0;
      if (w_valid & w_ready) begin
        beat <= beat + 1;
        if (beat == 1) w_valid_q <= 0;
      end
      if (b_valid & b_ready) {idle, aw_addr} <= {1'b1, aw_addr + 40'd16};
    end
  end
  axi_write_master #(.BYTES(8), .LONGEST(2)) u_check (
    .clk(clk), .rst(rst),
    .aw_valid(aw_valid), .aw_addr(aw_addr), .aw_len(aw_len), .aw_ready(aw_ready),
    .w_valid(w_valid), .w_data(w_data), .w_strb(w_strb), .w_last(w_last), .w_ready(w_ready),
    .b_valid(b_valid), .b_ready(b_ready)
  );
endmodule
