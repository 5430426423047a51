PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE reports (
    digest TEXT PRIMARY KEY, rank TEXT, attempt INTEGER, named INTEGER, fields TEXT, observations TEXT
) WITHOUT ROWID;
INSERT INTO "reports" VALUES('d0','11 before
/x.xml',0,0,'test_id,function,arch,origin,run,when,host,ending,expected,forced,stage,reason,seconds,pcc,pcc_required,pcc_checked,shortcut,guidance,signal,attempts,job,source,commit,models_commit,something_gone','[["mnist/pytorch-single_device-inference", "test_all_models_torch", "n150", "ci", "before", -5.0, "f10", "hung", "EXPECTED_PASSING", false, "UNKNOWN", "Failed: Timeout (>60.0s)", 1000000000000.0, null, null, null, false, [], null, 1, "", "", "", "", "old"]]');
COMMIT;
