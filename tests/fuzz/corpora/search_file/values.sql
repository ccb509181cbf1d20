UPDATE points SET random = 1, reason = 'r' WHERE point = 2;
UPDATE runs SET makespan_ns = 5 WHERE point = 1 AND run = 0;
