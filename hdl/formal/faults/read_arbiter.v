// An arbiter of one burst at a time. 1: a shown request gives way to an earlier requester; 2: beats go to the next one;
// 3: a length is lost; 4: two are granted at once.
module bench (
  input wire clk, input wire rst, input wire [2:0] ask, input wire [119:0] ask_addr, input wire [23:0] ask_len,
  input wire ar_ready, input wire r_valid, input wire r_last
);
  reg started = 0;
  always @(posedge clk) started <= 1;
  always @* if (!started) assume(rst);
  reg held = 0, busy = 0;
  reg [1:0] held_id, owner;
  wire [1:0] first = ask[0] ? 0 : ask[1] ? 1 : 2;
  wire [1:0] id = held & `FAULT != 1 ? held_id : first;
  wire ar_valid = |ask & !busy;
  wire [39:0] ar_addr = ask_addr[40*id+:40];
  wire [7:0] ar_len = `FAULT == 3 & id == 2 ? 0 : ask_len[8*id+:8];
  wire accepted = ar_valid & ar_ready;
  wire [2:0] granted = accepted ? (`FAULT == 4 ? ask : 3'd1 << id) : 0;
  wire r_ready = busy;
  wire [2:0] given = r_valid ? 3'd1 << (`FAULT == 2 ? 2'd2 - owner : owner) : 0;
  always @(posedge clk) begin
    if (rst) {held, busy} <= 0;
    else begin
      held <= ar_valid & !ar_ready;
      if (ar_valid) held_id <= id;
      if (accepted) {busy, owner} <= {1'b1, id};
      else if (r_valid & r_last) busy <= 0;
    end
  end
  read_arbiter_order u_check (
    .clk(clk), .rst(rst), .ask(ask), .granted(granted), .ask_addr(ask_addr), .ask_len(ask_len), .given(given),
    .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_addr(ar_addr), .ar_len(ar_len),
    .r_valid(r_valid), .r_ready(r_ready), .r_last(r_last)
  );
endmodule
