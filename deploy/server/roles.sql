-- The database of a server for devices, and who may do what in it. Once, as PostgreSQL's own user, before anicca-receiver migrate:
--     runuser -u postgres -- psql --set ON_ERROR_STOP=1 --file roles.sql
-- The users of this machine with the names of the roles need no password (pg_hba.conf: local anicca all peer).

-- Makes the tables and drops what is old: migrate, maintain, enroll, revoke, erase, export.
CREATE ROLE "anicca-owner" LOGIN;
-- Takes what devices send. More than two receivers have, also while one of them is replaced.
CREATE ROLE "anicca-receiver" LOGIN CONNECTION LIMIT 40;
-- For dashboards. What these two may do with each table: grants.sql.
CREATE ROLE "anicca-dashboards" LOGIN CONNECTION LIMIT 10;

CREATE DATABASE anicca OWNER "anicca-owner" ENCODING 'UTF8' TEMPLATE template0;
\connect anicca
REVOKE ALL ON DATABASE anicca FROM PUBLIC;
GRANT CONNECT ON DATABASE anicca TO "anicca-receiver", "anicca-dashboards";
ALTER SCHEMA public OWNER TO "anicca-owner";
REVOKE ALL ON SCHEMA public FROM PUBLIC;
GRANT USAGE ON SCHEMA public TO "anicca-receiver", "anicca-dashboards";
