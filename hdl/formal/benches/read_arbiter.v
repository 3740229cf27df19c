read_arbiter_order u_check (
  .clk(clk), .rst(rst),
  .ask({q2_ar_valid, q1_ar_valid, q0_ar_valid}), .granted({q2_ar_ready, q1_ar_ready, q0_ar_ready}),
  .ask_addr({q2_ar_addr, q1_ar_addr, q0_ar_addr}), .ask_len({q2_ar_len, q1_ar_len, q0_ar_len}),
  .given({q2_r_valid, q1_r_valid, q0_r_valid}),
  .ar_valid(ar_valid), .ar_ready(ar_ready), .ar_addr(ar_addr), .ar_len(ar_len),
  .r_valid(r_valid), .r_ready(r_ready), .r_last(r_last)
);
