PRAGMA user_version = 4;
BEGIN TRANSACTION;
CREATE TABLE cells (
        id INTEGER PRIMARY KEY, test TEXT NOT NULL, arch TEXT NOT NULL, function TEXT NOT NULL,
        changed INTEGER NOT NULL, UNIQUE (test, arch, function)
    );
INSERT INTO "cells" VALUES(1,'mnist/pytorch-single_device-inference','n150','test_all_models_torch',1);
INSERT INTO "cells" VALUES(2,'mnist/pytorch-single_device-inference','','test_all_models_jax',1);
CREATE TABLE ci_deaths (job INTEGER PRIMARY KEY, fields TEXT NOT NULL);
CREATE TABLE ci_jobs (id INTEGER PRIMARY KEY, run INTEGER NOT NULL, fields TEXT NOT NULL);
CREATE TABLE ci_reports (
        job INTEGER PRIMARY KEY, reports INTEGER NOT NULL, tests INTEGER NOT NULL, cut INTEGER NOT NULL,
        performance INTEGER NOT NULL
    );
CREATE TABLE ci_runs (
        id INTEGER PRIMARY KEY, workflow INTEGER NOT NULL, name TEXT NOT NULL, fields TEXT NOT NULL
    );
CREATE TABLE reports (
        id INTEGER PRIMARY KEY, digest TEXT NOT NULL UNIQUE, rank TEXT NOT NULL,
        attempt INTEGER NOT NULL, named INTEGER NOT NULL
    );
INSERT INTO "reports" VALUES(1,'d1','10		nightly
/nightly/x.xml',1,1);
CREATE TABLE results (
        cell INTEGER NOT NULL, kind INTEGER NOT NULL, at REAL NOT NULL, session INTEGER NOT NULL,
        number INTEGER NOT NULL, run INTEGER NOT NULL, shape INTEGER NOT NULL, reason INTEGER NOT NULL,
        raised INTEGER NOT NULL, seconds REAL NOT NULL, pcc, attempts INTEGER, op TEXT,
        PRIMARY KEY (cell, kind, at, session, number)
    ) WITHOUT ROWID;
INSERT INTO "results" VALUES(1,1,1763710335.25,1,0,1,1,3,3,1.0,NULL,NULL,NULL);
INSERT INTO "results" VALUES(2,1,1763710336.0,2,0,4,2,8,9,0.1,0.987,NULL,NULL);
CREATE TABLE sessions (
        id INTEGER PRIMARY KEY, report INTEGER NOT NULL, origin TEXT NOT NULL, run INTEGER NOT NULL,
        host INTEGER NOT NULL, job INTEGER NOT NULL, source TEXT NOT NULL, "commit" INTEGER NOT NULL,
        models_commit INTEGER NOT NULL, profile INTEGER NOT NULL, earliest REAL NOT NULL, latest REAL NOT NULL
    );
INSERT INTO "sessions" VALUES(1,1,'ci',1,2,3,'',3,3,3,1763710335.25,1763710335.25);
INSERT INTO "sessions" VALUES(2,1,'here',4,3,5,'/tmp/x.xml',6,7,3,1763710336.0,1763710336.0);
CREATE TABLE shapes (id INTEGER PRIMARY KEY, fields TEXT NOT NULL UNIQUE);
INSERT INTO "shapes" VALUES(1,'["passed","EXPECTED_PASSING",false,"PASSED",null,null,false,[],null,1]');
INSERT INTO "shapes" VALUES(2,'["slow","KNOWN_FAILURE_XFAIL",true,"FAILED_RUNTIME",0.99,false,true,["A","B"],9,2]');
CREATE TABLE store (id TEXT NOT NULL, serial INTEGER NOT NULL);
INSERT INTO "store" VALUES('i',1);
CREATE TABLE texts (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);
INSERT INTO "texts" VALUES(1,'nightly');
INSERT INTO "texts" VALUES(2,'f10');
INSERT INTO "texts" VALUES(3,'');
INSERT INTO "texts" VALUES(4,'batch µ');
INSERT INTO "texts" VALUES(5,'job');
INSERT INTO "texts" VALUES(6,'abc');
INSERT INTO "texts" VALUES(7,'def');
INSERT INTO "texts" VALUES(8,X'6C696E65206F6E650A6C696E65202274776F22205C200920C2B520E6BCA220F09F988020EDB3A4207F');
INSERT INTO "texts" VALUES(9,'TT_FATAL');
CREATE INDEX sessions_by_report ON sessions (report);
CREATE INDEX sessions_by_run ON sessions (run, job);
CREATE INDEX sessions_by_time ON sessions (latest);
CREATE INDEX results_by_run ON results (run, cell);
CREATE INDEX ci_jobs_by_run ON ci_jobs (run);
COMMIT;
