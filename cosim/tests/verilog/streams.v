// Four 128-bit stream ports that read without end and feed 64 multipliers, a load/store port and a command port that idle:
// the traffic of a decoding overlay without its control. Ports 1 to 5 repeat port 0 and are written by the test.
`default_nettype none
module multiplier (
    input wire clk,
    input wire en,
    input wire signed [7:0] a,
    input wire signed [7:0] b,
    output wire [31:0] product
);
    reg signed [15:0] p;
    assign product = {{16{p[15]}}, p};
    always @(posedge clk) if (en) p <= a * b;
endmodule

module stream (
    input wire clk,
    input wire rst,
    input wire [39:0] base,
    output wire [39:0] araddr,
    output wire [7:0] arlen,
    output wire [2:0] arsize,
    output wire [1:0] arburst,
    output reg arvalid,
    input wire arready,
    input wire [127:0] rdata,
    input wire rvalid,
    output wire rready,
    output reg [31:0] sum
);
    reg [23:0] offset;
    reg fed;
    reg [127:0] word;
    reg [127:0] vector;
    reg multiplied;
    assign araddr = base + {16'd0, offset};
    assign arlen = 8'd63;
    assign arsize = 3'd4;
    assign arburst = 2'd1;
    assign rready = 1'b1;
    wire [31:0] part0, part1, part2, part3, part4, part5, part6, part7;
    wire [31:0] part8, part9, part10, part11, part12, part13, part14, part15;
    wire [31:0] total = part0 + part1 + part2 + part3 + part4 + part5 + part6 + part7
        + part8 + part9 + part10 + part11 + part12 + part13 + part14 + part15;
    multiplier lane0(.clk(clk), .en(fed), .a(word[7:0]), .b(vector[7:0]), .product(part0));
    multiplier lane1(.clk(clk), .en(fed), .a(word[15:8]), .b(vector[15:8]), .product(part1));
    multiplier lane2(.clk(clk), .en(fed), .a(word[23:16]), .b(vector[23:16]), .product(part2));
    multiplier lane3(.clk(clk), .en(fed), .a(word[31:24]), .b(vector[31:24]), .product(part3));
    multiplier lane4(.clk(clk), .en(fed), .a(word[39:32]), .b(vector[39:32]), .product(part4));
    multiplier lane5(.clk(clk), .en(fed), .a(word[47:40]), .b(vector[47:40]), .product(part5));
    multiplier lane6(.clk(clk), .en(fed), .a(word[55:48]), .b(vector[55:48]), .product(part6));
    multiplier lane7(.clk(clk), .en(fed), .a(word[63:56]), .b(vector[63:56]), .product(part7));
    multiplier lane8(.clk(clk), .en(fed), .a(word[71:64]), .b(vector[71:64]), .product(part8));
    multiplier lane9(.clk(clk), .en(fed), .a(word[79:72]), .b(vector[79:72]), .product(part9));
    multiplier lane10(.clk(clk), .en(fed), .a(word[87:80]), .b(vector[87:80]), .product(part10));
    multiplier lane11(.clk(clk), .en(fed), .a(word[95:88]), .b(vector[95:88]), .product(part11));
    multiplier lane12(.clk(clk), .en(fed), .a(word[103:96]), .b(vector[103:96]), .product(part12));
    multiplier lane13(.clk(clk), .en(fed), .a(word[111:104]), .b(vector[111:104]), .product(part13));
    multiplier lane14(.clk(clk), .en(fed), .a(word[119:112]), .b(vector[119:112]), .product(part14));
    multiplier lane15(.clk(clk), .en(fed), .a(word[127:120]), .b(vector[127:120]), .product(part15));
    always @(posedge clk) begin
        if (rst) begin
            offset <= 24'd0;
            arvalid <= 1'b0;
            fed <= 1'b0;
            multiplied <= 1'b0;
            sum <= 32'd0;
            vector <= 128'h0102030405060708090a0b0c0d0e0f10;
        end else begin
            arvalid <= 1'b1;
            if (arvalid & arready) offset <= offset + 24'd1024;
            fed <= rvalid;
            multiplied <= fed;
            if (rvalid) word <= rdata;
            if (multiplied) begin
                sum <= sum + total;
                vector <= {vector[126:0], vector[127]};
            end
        end
    end
endmodule
