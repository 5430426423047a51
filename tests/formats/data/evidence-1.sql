PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE reports (
    digest TEXT PRIMARY KEY, rank TEXT, attempt INTEGER, named INTEGER, fields TEXT, observations TEXT
) WITHOUT ROWID;
INSERT INTO "reports" VALUES('d1','10 nightly
/nightly/x.xml',1,1,'test_id,function,arch,origin,run,when,host,ending,expected,forced,stage,reason,seconds,pcc,pcc_required,pcc_checked,shortcut,guidance,signal,attempts,job,source,commit,models_commit,raised','[["mnist/pytorch-single_device-inference", "test_all_models_torch", "n150", "ci", "nightly", 1763710335.25, "f10", "passed", "EXPECTED_PASSING", false, "PASSED", "", 1.0, null, null, null, false, [], null, 1, "", "", "", "", ""], ["mnist/pytorch-single_device-inference", "test_all_models_jax", "", "here", "batch \u00b5", 1763710336.0, "", "slow", "KNOWN_FAILURE_XFAIL", true, "FAILED_RUNTIME", "line one\nline \"two\" \\ \t \u00b5 \u6f22 \ud83d\ude00 \udce4 \u007f", 0.1, 0.987, 0.99, false, true, ["A", "B"], 9, 2, "job", "/tmp/x.xml", "abc", "def", "TT_FATAL"]]');
COMMIT;
