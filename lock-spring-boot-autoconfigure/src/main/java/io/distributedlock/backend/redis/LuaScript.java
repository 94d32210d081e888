package io.distributedlock.backend.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Set;

/**
 * A script that a Redis server runs as one atomic step. It is called by its digest, and
 * sent in full where the server does not know it.
 *
 * @param name the name of its resource file, without the ending
 * @param source its text
 * @param sha1 the digest by which a server knows it
 * @since 0.1.0
 */
public record LuaScript(String name, String source, String sha1) {

	/**
	 * Takes a lock.
	 */
	public static final LuaScript ACQUIRE = load("acquire");

	/**
	 * Releases a lock.
	 */
	public static final LuaScript RELEASE = load("release");

	/**
	 * Lengthens leases.
	 */
	public static final LuaScript RENEW = load("renew");

	/**
	 * Tells who holds a lock.
	 */
	public static final LuaScript FIND = load("find");

	/**
	 * Takes a lock away.
	 */
	public static final LuaScript FORCE_RELEASE = load("force-release");

	/**
	 * Lists names of keys.
	 */
	public static final LuaScript SCAN = load("scan");

	/**
	 * Sends a message that names no lock.
	 */
	public static final LuaScript PROBE = load("probe");

	/**
	 * Reads what a server tells of itself.
	 */
	public static final LuaScript INFO = load("info");

	private static final Set<String> KEEPING = Set.of("renew", "release", "quarantine", "guarded renew",
			"guarded reinstall", "guarded release-forgotten");

	/**
	 * Create a script.
	 * @param name its name
	 * @param source its text
	 * @return the script
	 */
	public static LuaScript of(String name, String source) {
		return new LuaScript(name, source, digest(source));
	}

	private static LuaScript load(String name) {
		return read(LuaScript.class, name);
	}

	/**
	 * Read a script from its resource.
	 * @param neighbour a class of the package that the resource is in
	 * @param name the name of the resource file, without the ending
	 * @return the script
	 */
	public static LuaScript read(Class<?> neighbour, String name) {
		return of(name, source(neighbour, name));
	}

	/**
	 * Put a script together.
	 * @param name its name
	 * @param parts the names of the files, which follow each other
	 * @return the script
	 */
	static LuaScript load(String name, String... parts) {
		StringBuilder source = new StringBuilder();
		for (String part : parts) {
			source.append(source(LuaScript.class, part)).append('\n');
		}
		return of(name, source.toString());
	}

	private static String source(Class<?> neighbour, String name) {
		try (InputStream resource = neighbour.getResourceAsStream(name + ".lua")) {
			if (resource == null) {
				throw new IllegalStateException("The script " + name + ".lua is missing beside " + neighbour);
			}
			return new String(resource.readAllBytes(), StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	private static String digest(String source) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(source.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

	/**
	 * Return whether the script keeps or ends leases that there are, so that it must not
	 * queue behind attempts.
	 */
	boolean keeps() {
		return KEEPING.contains(this.name);
	}

	@Override
	public String toString() {
		return this.name;
	}

}
