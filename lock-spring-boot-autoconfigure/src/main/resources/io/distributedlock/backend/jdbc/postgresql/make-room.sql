-- Makes the server drop notifications that all listeners have read, which it does before it returns the usage of its
-- queue.
-- In: no parameters.
-- Out: one row, how full the queue is (0 to 1).
SELECT pg_notification_queue_usage()
