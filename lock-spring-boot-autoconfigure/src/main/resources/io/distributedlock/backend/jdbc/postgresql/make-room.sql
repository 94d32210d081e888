-- Lets the server drop notifications that all listeners have read, which it does before it tells the queue's length.
-- In: nothing.
-- Out: one row, how full the queue is (0 to 1).
SELECT pg_notification_queue_usage()
