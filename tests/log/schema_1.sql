-- A file as the first schema left it; never edited.
PRAGMA application_id = 1195986514;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE entry (
        revision INTEGER PRIMARY KEY AUTOINCREMENT,
        match_id TEXT NOT NULL,
        first INTEGER NOT NULL CHECK (first >= 1),
        last INTEGER NOT NULL CHECK (last >= first),
        command TEXT NOT NULL,
        events TEXT NOT NULL,
        request_id TEXT,
        time_us INTEGER NOT NULL,
        rules_version INTEGER NOT NULL,
        schema INTEGER NOT NULL
    ) STRICT
    ;
INSERT INTO "entry" VALUES(1,'m1',1,2,'{"kind":"create","row":{"labels":{"город":"Тула"},"create_request_id":"c1","deadline_us":1800000030000000,"summary":{"seats":[{"name":"Аня"},{"bot":"simple"}]}}}','[{"kind":"discarded","number":1,"n":0},{"kind":"discarded","number":1,"n":1}]','r1',1800000000000001,1,1);
INSERT INTO "entry" VALUES(2,'m1',3,3,'{"kind":"take_upcard","row":{"bot_owes":true}}','[{"kind":"discarded","number":2,"n":0}]','r2',1800000000000002,1,1);
INSERT INTO "entry" VALUES(3,'m2',1,2,'{"kind":"create","row":{"unlisted":false,"joinable":true,"state":"open"}}','[{"kind":"discarded","number":3,"n":0},{"kind":"discarded","number":3,"n":1}]','r1',1800000000000003,1,1);
INSERT INTO "entry" VALUES(4,'m2',3,3,'{"kind":"take_upcard","row":{"bot_owes":true}}','[{"kind":"discarded","number":4,"n":0}]','r2',1800000000000004,1,1);
CREATE TABLE match_row (
        match_id TEXT PRIMARY KEY,
        state TEXT NOT NULL,
        head INTEGER NOT NULL,
        ruleset TEXT NOT NULL,
        labels TEXT NOT NULL,
        unlisted INTEGER NOT NULL,
        joinable INTEGER NOT NULL,
        created_us INTEGER NOT NULL,
        updated_us INTEGER NOT NULL,
        deadline_us INTEGER,
        bot_owes INTEGER NOT NULL,
        create_request_id TEXT,
        summary TEXT NOT NULL
    ) STRICT
    ;
INSERT INTO "match_row" VALUES('m1','running',3,'short','{"город":"Тула"}',0,0,1800000000000001,1800000000000002,1800000030000000,1,'c1','{"seats":[{"name":"Аня"},{"bot":"simple"}]}');
INSERT INTO "match_row" VALUES('m2','open',3,'short','{}',0,1,1800000000000003,1800000000000004,NULL,1,NULL,'{}');
CREATE TABLE token (
        match_id TEXT NOT NULL,
        role TEXT NOT NULL,
        digest BLOB NOT NULL,
        PRIMARY KEY (match_id, role)
    ) STRICT, WITHOUT ROWID
    ;
INSERT INTO "token" VALUES('m1','1',X'CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB');
INSERT INTO "token" VALUES('m1','host',X'AAA9402664F1A41F40EBBC52C9993EB66AEB366602958FDFAA283B71E64DB123');
INSERT INTO "token" VALUES('m2','1',X'CA978112CA1BBDCAFAC231B39A23DC4DA786EFF8147C4E72B9807785AFEE48BB');
INSERT INTO "token" VALUES('m2','host',X'AAA9402664F1A41F40EBBC52C9993EB66AEB366602958FDFAA283B71E64DB123');
CREATE UNIQUE INDEX entry_by_last ON entry (match_id, last);
CREATE UNIQUE INDEX entry_by_request ON entry (match_id, request_id)
    WHERE request_id IS NOT NULL
    ;
CREATE INDEX match_row_by_age ON match_row (created_us, match_id);
CREATE INDEX match_row_by_state ON match_row (state, created_us, match_id);
CREATE UNIQUE INDEX match_row_by_create_request ON match_row (create_request_id)
    WHERE create_request_id IS NOT NULL
    ;
DELETE FROM "sqlite_sequence";
INSERT INTO "sqlite_sequence" VALUES('entry',4);
COMMIT;
