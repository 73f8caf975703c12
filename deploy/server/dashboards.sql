-- For Grafana, after anicca-receiver migrate, by the owner of the tables. Rows of single wearers: let only those see them who may.
--     runuser -u anicca-owner -- psql --set ON_ERROR_STOP=1 --file dashboards.sql anicca
GRANT SELECT ON daily_figures TO "anicca-dashboards";
