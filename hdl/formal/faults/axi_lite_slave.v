// A slave of one word. 1: an answer comes before the word; 2: an answer is taken back; 3: data change while they wait;
// 4: a read is never answered; 5: an answer is shown after reset; 6: a write is answered twice.
module bench (
  input wire clk, input wire rst, input wire awvalid, input wire [15:0] awaddr, input wire wvalid,
  input wire [31:0] wdata, input wire [3:0] wstrb, input wire bready, input wire arvalid, input wire [15:0] araddr,
  input wire rready
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume(rst);
  reg b = 0, r = 0, again = 0;
  reg [31:0] word = 0, taken;
  reg [3:0] age = 0;
  wire take = `FAULT == 1 ? awvalid & !b : awvalid & wvalid & !b;
  wire awready = take;
  wire wready = take & wvalid;
  wire arready = !r;
  wire late = age == 2;
  wire bvalid = b & !(`FAULT == 2 & late);
  wire rvalid = r;
  wire [31:0] rdata = taken + (`FAULT == 3 & late);
  always @(posedge clk) begin
    age <= (b & !bready) | (r & !rready) ? age + !(&age) : 0;
    if (rst) {b, r, again} <= {`FAULT == 5, 1'b0, 1'b0};
    else begin
      if (take) {b, again} <= {1'b1, `FAULT == 6};
      else if (bvalid & bready) {b, again} <= {again, 1'b0};
      if (take & wvalid) word <= wdata;
      if (arvalid & arready) taken <= word;
      if (arvalid & arready & `FAULT != 4) r <= 1;
      else if (rvalid & rready) r <= 0;
    end
  end
  axi_lite_slave u_check (
    .clk(clk), .rst(rst), .awvalid(awvalid), .awaddr(awaddr), .awready(awready), .wvalid(wvalid), .wdata(wdata),
    .wstrb(wstrb), .wready(wready), .bvalid(bvalid), .bresp(2'b00), .bready(bready), .arvalid(arvalid),
    .araddr(araddr), .arready(arready), .rvalid(rvalid), .rdata(rdata), .rresp(2'b00), .rready(rready)
  );
endmodule
