-- The database of a server for devices, and who may do what in it. As PostgreSQL's own user, before anicca-receiver migrate;
-- what is there already stays:
--     runuser -u postgres -- psql --set ON_ERROR_STOP=1 --file roles.sql
-- The users of this machine with the names of the roles need no password (pg_hba.conf: local anicca all peer).

-- Makes the tables and drops what is old: migrate, maintain, enroll, revoke, erase, export.
SELECT 'CREATE ROLE "anicca-owner" LOGIN' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anicca-owner') \gexec
-- Takes what devices send. More than two receivers have, also while one of them is replaced.
SELECT 'CREATE ROLE "anicca-receiver" LOGIN CONNECTION LIMIT 40' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anicca-receiver') \gexec
-- For dashboards. What these two may do with each table: grants.sql.
SELECT 'CREATE ROLE "anicca-dashboards" LOGIN CONNECTION LIMIT 10' WHERE NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'anicca-dashboards') \gexec

SELECT 'CREATE DATABASE anicca OWNER "anicca-owner" ENCODING ''UTF8'' TEMPLATE template0'
WHERE NOT EXISTS (SELECT FROM pg_database WHERE datname = 'anicca') \gexec
\connect anicca
REVOKE ALL ON DATABASE anicca FROM PUBLIC;
GRANT CONNECT ON DATABASE anicca TO "anicca-receiver", "anicca-dashboards";
ALTER SCHEMA public OWNER TO "anicca-owner";
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO "anicca-receiver", "anicca-dashboards";
