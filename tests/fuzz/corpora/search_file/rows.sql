DELETE FROM runs WHERE run = 1;
INSERT INTO points VALUES(8, 'shared-queue', NULL, NULL, 'ran', NULL, 0, 8, 2);
UPDATE points SET cores = 6;
