ALTER TABLE points DROP COLUMN reason; UPDATE search SET value = '{}' WHERE key = 'plan'; DROP VIEW results;
