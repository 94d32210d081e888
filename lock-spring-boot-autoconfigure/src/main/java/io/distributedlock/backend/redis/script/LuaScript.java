package io.distributedlock.backend.redis.script;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.stream.Collectors;

import org.springframework.core.io.ClassPathResource;

/**
 * A script that a Redis server runs as one atomic step. It is called by its digest, and
 * sent in full if the server does not know it.
 *
 * @param name the name of its resource file, without the extension
 * @param source its text
 * @param sha1 the digest by which a server knows it
 * @since 0.1.0
 */
public record LuaScript(String name, String source, String sha1) {

	/**
	 * Lists the names of keys.
	 */
	public static final LuaScript SCAN = read(LuaScript.class, "scan");

	/**
	 * Create a script.
	 * @param name its name
	 * @param source its text
	 * @return the script
	 */
	public static LuaScript of(String name, String source) {
		return new LuaScript(name, source, Sha1Digest.hex(source));
	}

	/**
	 * Read a script from its resource.
	 * @param neighbour a class of the package that the resource is in
	 * @param name the name of the resource file, without the extension
	 * @return the script
	 */
	public static LuaScript read(Class<?> neighbour, String name) {
		return of(name, source(neighbour, name));
	}

	/**
	 * Create a script from its parts.
	 * @param neighbour a class of the package that the resources are in
	 * @param name the name of the script
	 * @param parts the names of the files, in their order
	 * @return the script
	 */
	public static LuaScript join(Class<?> neighbour, String name, String... parts) {
		return of(name,
				Arrays.stream(parts).map((part) -> source(neighbour, part) + '\n').collect(Collectors.joining()));
	}

	private static String source(Class<?> neighbour, String name) {
		try {
			return new ClassPathResource(name + ".lua", neighbour).getContentAsString(StandardCharsets.UTF_8);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
	}

	@Override
	public String toString() {
		return this.name;
	}

}
