// A master that reads one burst after another. 1: a request is taken back; 2: it changes; 3: it crosses 4 KiB;
// 4: it is not aligned; 5: it is shown in reset.
module bench (input wire clk, input wire rst, input wire ar_ready, input wire r_valid);
  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume(rst);
  reg valid = 0, idle = 1;
  reg [39:0] addr = 0;
  reg [4:0] left = 0;
  reg [3:0] age = 0;
  wire ar_valid = valid & !(`FAULT == 1 & age == 2) | (`FAULT == 5 & rst);
  wire [39:0] ar_addr = addr + (`FAULT == 2 & age == 2 ? 64 : 0) + (`FAULT == 3 ? 4080 : 0) + (`FAULT == 4 ? 4 : 0);
  wire [7:0] ar_len = 3;
  wire r_ready = left != 0;
  always @(posedge clk) begin
    age <= ar_valid & !ar_ready ? age + !(&age) : 0;
    if (rst) {valid, idle, left} <= {1'b0, 1'b1, 5'd0};
    else begin
      if (idle) {idle, valid} <= 2'b01;
      if (ar_valid & ar_ready) {valid, left} <= {1'b0, 5'd4};
      if (r_valid & r_ready) begin
        left <= left - 1;
        if (left == 1) {idle, addr} <= {1'b1, addr + 40'd32};
      end
    end
  end
  axi_read_master #(.BYTES(8), .LONGEST(4)) u_check (
    .clk(clk), .rst(rst),
    .ar_valid(ar_valid), .ar_addr(ar_addr), .ar_len(ar_len), .ar_ready(ar_ready), .r_ready(r_ready), .r_valid(r_valid)
  );
endmodule
