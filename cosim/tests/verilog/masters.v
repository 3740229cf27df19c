// A reader on m0, a writer on m1 (which also has an idle read half), a scratch register on s_axi.
// Tests set base, length and number of bursts on plain inputs, pulse `go`, and may ask for a fault.
`default_nettype none
module masters #(parameter W = 64) (
    input wire clk,
    input wire rst,
    input wire go,
    input wire [7:0] fault,
    input wire hold_r,
    input wire hold_b,
    input wire [39:0] r_base,
    input wire [7:0] r_len,
    input wire [15:0] r_bursts,
    output reg [31:0] r_beats,
    output reg [W-1:0] r_sum,
    input wire [39:0] w_base,
    input wire [7:0] w_len,
    input wire [15:0] w_bursts,
    output reg [15:0] w_answers,

    output wire [39:0] m0_axi_araddr,
    output wire [7:0] m0_axi_arlen,
    output wire [2:0] m0_axi_arsize,
    output wire [1:0] m0_axi_arburst,
    output reg m0_axi_arvalid,
    input wire m0_axi_arready,
    input wire [W-1:0] m0_axi_rdata,
    input wire [1:0] m0_axi_rresp,
    input wire m0_axi_rlast,
    input wire m0_axi_rvalid,
    output wire m0_axi_rready,

    output wire [39:0] m1_axi_araddr,
    output wire [7:0] m1_axi_arlen,
    output wire [2:0] m1_axi_arsize,
    output wire [1:0] m1_axi_arburst,
    output wire m1_axi_arvalid,
    input wire m1_axi_arready,
    input wire [W-1:0] m1_axi_rdata,
    input wire [1:0] m1_axi_rresp,
    input wire m1_axi_rlast,
    input wire m1_axi_rvalid,
    output wire m1_axi_rready,
    output wire [39:0] m1_axi_awaddr,
    output wire [7:0] m1_axi_awlen,
    output wire [2:0] m1_axi_awsize,
    output wire [1:0] m1_axi_awburst,
    output reg m1_axi_awvalid,
    input wire m1_axi_awready,
    output wire [W-1:0] m1_axi_wdata,
    output wire [W/8-1:0] m1_axi_wstrb,
    output wire m1_axi_wlast,
    output reg m1_axi_wvalid,
    input wire m1_axi_wready,
    input wire [1:0] m1_axi_bresp,
    input wire m1_axi_bvalid,
    output wire m1_axi_bready,

    input wire [15:0] s_axi_awaddr,
    input wire s_axi_awvalid,
    output wire s_axi_awready,
    input wire [31:0] s_axi_wdata,
    input wire [3:0] s_axi_wstrb,
    input wire s_axi_wvalid,
    output wire s_axi_wready,
    output wire [1:0] s_axi_bresp,
    output reg s_axi_bvalid,
    input wire s_axi_bready,
    input wire [15:0] s_axi_araddr,
    input wire s_axi_arvalid,
    output wire s_axi_arready,
    output reg [31:0] s_axi_rdata,
    output wire [1:0] s_axi_rresp,
    output reg s_axi_rvalid,
    input wire s_axi_rready
);
    localparam [2:0] SIZE = W == 32 ? 3'd2 : W == 64 ? 3'd3 : 3'd4;
    // Faults of the reader.
    localparam [7:0] AR_MOVES = 8'd1, AR_FALLS = 8'd2, AR_SIZE = 8'd3, AR_FIXED = 8'd4;
    // Faults of the writer.
    localparam [7:0] AW_MOVES = 8'd16, AW_FALLS = 8'd17, W_MOVES = 8'd18, W_FALLS = 8'd19, W_EARLY = 8'd20, W_NEVER = 8'd21,
        W_BELOW = 8'd22, W_SPARSE = 8'd23;

    // Reader: one address after the other, any number outstanding.
    reg [39:0] ar_next;
    reg [15:0] ar_left;
    reg ar_waited;
    wire ar_taken = m0_axi_arvalid & m0_axi_arready;
    wire [39:0] r_step = ({32'd0, r_len} + 40'd1) << SIZE;
    assign m0_axi_araddr = ar_next + ((fault == AR_MOVES && ar_waited) ? 40'd64 : 40'd0);
    assign m0_axi_arlen = r_len;
    assign m0_axi_arsize = fault == AR_SIZE ? SIZE - 3'd1 : SIZE;
    assign m0_axi_arburst = fault == AR_FIXED ? 2'd0 : 2'd1;
    assign m0_axi_rready = !hold_r;
    always @(posedge clk) begin
        ar_waited <= m0_axi_arvalid & ~m0_axi_arready;
        if (rst) begin
            m0_axi_arvalid <= 1'b0;
            ar_left <= 16'd0;
            r_beats <= 32'd0;
            r_sum <= {W{1'b0}};
        end else begin
            if (go) begin
                ar_next <= r_base;
                ar_left <= r_bursts;
                m0_axi_arvalid <= r_bursts != 16'd0;
                r_beats <= 32'd0;
                r_sum <= {W{1'b0}};
            end else if (ar_taken) begin
                ar_next <= ((ar_next >> SIZE) << SIZE) + r_step;
                ar_left <= ar_left - 16'd1;
                m0_axi_arvalid <= ar_left != 16'd1;
            end else if (fault == AR_FALLS && m0_axi_arvalid) begin
                m0_axi_arvalid <= 1'b0;
            end
            if (m0_axi_rvalid & m0_axi_rready) begin
                r_beats <= r_beats + 32'd1;
                r_sum <= {r_sum[W-2:0], r_sum[W-1]} ^ m0_axi_rdata;
            end
        end
    end

    // Writer: addresses and data run independently.
    reg [39:0] aw_next;
    reg [15:0] aw_left, w_left;
    reg [7:0] w_beat;
    reg aw_waited, w_waited, w_first;
    reg [31:0] w_count;
    wire [39:0] w_step = ({32'd0, w_len} + 40'd1) << SIZE;
    wire last = w_beat == w_len;
    wire w_taken = m1_axi_wvalid & m1_axi_wready;
    assign m1_axi_araddr = 40'd0;
    assign m1_axi_arlen = 8'd0;
    assign m1_axi_arsize = SIZE;
    assign m1_axi_arburst = 2'd1;
    assign m1_axi_arvalid = 1'b0;
    assign m1_axi_rready = 1'b0;
    assign m1_axi_awaddr = aw_next + ((fault == AW_MOVES && aw_waited) ? 40'd64 : 40'd0);
    assign m1_axi_awlen = w_len;
    assign m1_axi_awsize = SIZE;
    assign m1_axi_awburst = 2'd1;
    assign m1_axi_wdata = {(W/32){w_count + ((fault == W_MOVES && w_waited) ? 32'd1 : 32'd0)}};
    assign m1_axi_wstrb = fault == W_BELOW ? {(W/8){1'b1}}
        : fault == W_SPARSE ? {(W/16){2'b01}}
        : w_first ? {(W/8){1'b1}} << w_base[SIZE-1:0] : {(W/8){1'b1}};
    assign m1_axi_wlast = fault == W_NEVER ? 1'b0 : fault == W_EARLY ? w_beat + 8'd1 == w_len : last;
    assign m1_axi_bready = !hold_b;
    always @(posedge clk) begin
        aw_waited <= m1_axi_awvalid & ~m1_axi_awready;
        w_waited <= m1_axi_wvalid & ~m1_axi_wready;
        if (rst) begin
            m1_axi_awvalid <= 1'b0;
            m1_axi_wvalid <= 1'b0;
            w_answers <= 16'd0;
            w_count <= 32'd0;
        end else begin
            if (go) begin
                aw_next <= w_base;
                aw_left <= w_bursts;
                w_left <= w_bursts;
                w_beat <= 8'd0;
                w_first <= 1'b1;
                w_answers <= 16'd0;
                m1_axi_awvalid <= w_bursts != 16'd0;
                m1_axi_wvalid <= w_bursts != 16'd0;
            end else begin
                if (m1_axi_awvalid & m1_axi_awready) begin
                    aw_next <= ((aw_next >> SIZE) << SIZE) + w_step;
                    aw_left <= aw_left - 16'd1;
                    m1_axi_awvalid <= aw_left != 16'd1;
                end else if (fault == AW_FALLS && m1_axi_awvalid) begin
                    m1_axi_awvalid <= 1'b0;
                end
                if (w_taken) begin
                    w_count <= w_count + 32'd1;
                    w_first <= 1'b0;
                    w_beat <= last ? 8'd0 : w_beat + 8'd1;
                    if (last) begin
                        w_left <= w_left - 16'd1;
                        m1_axi_wvalid <= w_left != 16'd1;
                    end
                end else if (fault == W_FALLS && m1_axi_wvalid) begin
                    m1_axi_wvalid <= 1'b0;
                end
            end
            if (m1_axi_bvalid & m1_axi_bready) w_answers <= w_answers + 16'd1;
        end
    end

    // Register 0x10; reads of 0xff00 and above never end, other addresses answer with SLVERR.
    reg [31:0] scratch;
    wire write = s_axi_awvalid & s_axi_wvalid & ~s_axi_bvalid;
    wire read = s_axi_arvalid & ~s_axi_rvalid & (s_axi_araddr[15:8] != 8'hff);
    reg b_error, r_error;
    assign s_axi_awready = write;
    assign s_axi_wready = write;
    assign s_axi_arready = read;
    assign s_axi_bresp = {b_error, 1'b0};
    assign s_axi_rresp = {r_error, 1'b0};
    always @(posedge clk) begin
        if (rst) begin
            s_axi_bvalid <= 1'b0;
            s_axi_rvalid <= 1'b0;
            scratch <= 32'd0;
        end else begin
            if (write) begin
                s_axi_bvalid <= 1'b1;
                b_error <= s_axi_awaddr != 16'h0010;
                if (s_axi_awaddr == 16'h0010 && s_axi_wstrb == 4'hf) scratch <= s_axi_wdata;
            end else if (s_axi_bready) s_axi_bvalid <= 1'b0;
            if (read) begin
                s_axi_rvalid <= 1'b1;
                r_error <= s_axi_araddr != 16'h0010;
                s_axi_rdata <= scratch;
            end else if (s_axi_rready) s_axi_rvalid <= 1'b0;
        end
    end
endmodule
