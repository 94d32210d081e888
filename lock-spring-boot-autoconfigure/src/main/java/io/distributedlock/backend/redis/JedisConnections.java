package io.distributedlock.backend.redis;

import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.data.redis.connection.RedisConnection;
import org.springframework.data.redis.connection.jedis.JedisClusterConnection;
import org.springframework.data.redis.connection.jedis.JedisConnection;
import org.springframework.util.ClassUtils;
import redis.clients.jedis.Connection;
import redis.clients.jedis.ConnectionPool;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.JedisCluster;
import redis.clients.jedis.exceptions.JedisDataException;
import redis.clients.jedis.exceptions.JedisException;

/**
 * Gives access to features of Jedis that Spring Data's connections do not offer.
 * Connections of another driver are left unchanged. So are those to a whole Cluster,
 * except by {@link #closeIdle} and {@link #dedicated}.
 */
final class JedisConnections {

	private static final Logger logger = LoggerFactory.getLogger(JedisConnections.class);

	private static final boolean PRESENT = ClassUtils.isPresent("redis.clients.jedis.Jedis",
			JedisConnections.class.getClassLoader());

	private JedisConnections() {
	}

	/**
	 * Return the object that identifies a connection for as long as it is open.
	 * @param connection the connection of Spring Data
	 * @return the driver's connection, or {@code null} if it is not a single one of Jedis
	 */
	static @Nullable Object identity(RedisConnection connection) {
		return PRESENT ? Access.jedis(connection) : null;
	}

	/**
	 * Find out whether a server answers on a connection.
	 * @param connection the connection, which is one of Jedis. It is broken afterwards if
	 * the server does not answer
	 * @param patience how long to wait for the answer
	 * @return whether it answers
	 */
	static boolean answers(RedisConnection connection, Duration patience) {
		return Access.answers(connection, patience);
	}

	/**
	 * Limit the wait for an answer, unless the connection has a shorter limit.
	 * @param connection the connection
	 * @param timeout the limit
	 * @return restores the limit that the connection had
	 */
	static Runnable limit(RedisConnection connection, Duration timeout) {
		return PRESENT ? Access.limit(connection, timeout) : () -> {
		};
	}

	/**
	 * Close the socket of a connection, so that a thread that it blocks continues.
	 * @param connection the connection
	 * @return {@code false} if the connection is not a single one of Jedis
	 */
	static boolean cut(RedisConnection connection) {
		return PRESENT && Access.cut(connection);
	}

	/**
	 * Close the idle connections in the pools of a Cluster.
	 * @param connection a connection to the Cluster; any other connection is ignored
	 */
	static void closeIdle(RedisConnection connection) {
		if (PRESENT) {
			Access.closeIdle(connection);
		}
	}

	/**
	 * Return a connection for a subscription. It leads to one server, even in a Cluster.
	 * The pool closes it when it is given back instead of reusing it. An answer may be
	 * left on it, unless the subscription has ended by the last answer.
	 * @param borrowed the connection that was borrowed from the pool; given back with the
	 * result at the latest
	 * @return the connection, or the borrowed one if it is not one of Jedis
	 */
	static RedisConnection dedicated(RedisConnection borrowed) {
		return PRESENT ? Access.dedicated(borrowed) : borrowed;
	}

	/**
	 * A class of its own, because the driver's classes may be missing.
	 */
	private static final class Access {

		private static @Nullable Jedis jedis(RedisConnection connection) {
			return (connection.getNativeConnection() instanceof Jedis jedis) ? jedis : null;
		}

		static boolean answers(RedisConnection connection, Duration patience) {
			Jedis jedis = Objects.requireNonNull(jedis(connection));
			Runnable undo = limit(connection, patience);
			try {
				jedis.ping();
				return true;
			}
			catch (JedisException ex) {
				// An error is an answer, too.
				return !jedis.isBroken();
			}
			finally {
				undo.run();
			}
		}

		static Runnable limit(RedisConnection connection, Duration timeout) {
			Jedis jedis = jedis(connection);
			if (jedis == null) {
				return () -> {
				};
			}
			Connection wire = jedis.getConnection();
			int before = wire.getSoTimeout();
			int millis = (int) Math.max(1, Math.min(timeout.toMillis(), Integer.MAX_VALUE));
			if (before > 0 && before <= millis) {
				return () -> {
				};
			}
			setTimeout(wire, millis);
			return () -> setTimeout(wire, before);
		}

		private static void setTimeout(Connection wire, int millis) {
			try {
				wire.setSoTimeout(millis);
			}
			catch (JedisException ex) {
				logger.debug("A connection to Redis is broken already", ex);
			}
		}

		static boolean cut(RedisConnection connection) {
			Jedis jedis = jedis(connection);
			if (jedis != null) {
				try {
					jedis.getConnection().forceDisconnect();
				}
				catch (IOException | JedisException ex) {
					logger.debug("A connection to Redis was closed already", ex);
				}
			}
			return jedis != null;
		}

		static RedisConnection dedicated(RedisConnection borrowed) {
			if (borrowed instanceof JedisConnection single) {
				return new OneUseConnection(single.getJedis(), single::close);
			}
			if (borrowed instanceof JedisClusterConnection cluster) {
				try (borrowed) {
					Connection wire = borrow(cluster.getNativeConnection());
					return new OneUseConnection(new Jedis(wire), wire::close);
				}
			}
			return borrowed;
		}

		/**
		 * Borrow a connection to any of the servers, because messages reach all servers
		 * of a Cluster.
		 */
		private static Connection borrow(JedisCluster cluster) {
			List<ConnectionPool> servers = new ArrayList<>(cluster.getClusterNodes().values());
			Collections.shuffle(servers);
			JedisException fault = new JedisException("The Cluster has no servers");
			for (ConnectionPool server : servers) {
				Connection wire = null;
				try {
					wire = server.getResource();
					wire.ping();
					return wire;
				}
				catch (JedisDataException ex) {
					// An error is an answer, too.
					return Objects.requireNonNull(wire);
				}
				catch (JedisException ex) {
					fault = ex;
					if (wire != null) {
						wire.close();
					}
				}
			}
			throw fault;
		}

		static void closeIdle(RedisConnection connection) {
			if (connection.getNativeConnection() instanceof JedisCluster cluster) {
				cluster.getClusterNodes().values().forEach(ConnectionPool::clear);
			}
		}

	}

	/**
	 * A connection that its pool closes when it is given back.
	 */
	private static final class OneUseConnection extends JedisConnection {

		private final Jedis jedis;

		private final Runnable giveBack;

		OneUseConnection(Jedis jedis, Runnable giveBack) {
			super(jedis, null, jedis.getDB());
			this.jedis = jedis;
			this.giveBack = giveBack;
		}

		@Override
		public void close() {
			try {
				super.close();
			}
			finally {
				this.jedis.getConnection().setBroken();
				this.giveBack.run();
			}
		}

	}

}
