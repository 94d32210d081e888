-- Deletes a member that has expired.
-- In: key, owner.
-- Out: one row deleted, or none.
DELETE FROM @@reader_table@@ WHERE lock_key = :key AND owner = :owner AND expires_at <= @@now@@
