# Stage `synth`.

proc sagen::stage_synth {} {
    use_project
    reset_runs synth_1
    finish_run synth_1
    open_run synth_1
    report_utilization -file [work reports utilization_synth.rpt]
    close_design
}
