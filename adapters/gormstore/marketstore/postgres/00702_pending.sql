-- +goose Up
-- A search reads the entries that wait to be inserted into the index: 4 MB by default, 5 ms.
ALTER INDEX orders_search SET (gin_pending_list_limit = 256); -- kB
