package io.distributedlock.backend.redis.script;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * Computes SHA-1 digests in the form of {@code redis.sha1hex} in scripts.
 *
 * @since 0.1.0
 */
public final class Sha1Digest {

	private Sha1Digest() {
	}

	/**
	 * Return the digest of a text.
	 * @param text the text
	 * @return forty hexadecimal digits
	 */
	public static String hex(String text) {
		try {
			return HexFormat.of()
				.formatHex(MessageDigest.getInstance("SHA-1").digest(text.getBytes(StandardCharsets.UTF_8)));
		}
		catch (NoSuchAlgorithmException ex) {
			throw new IllegalStateException("Every Java platform has SHA-1", ex);
		}
	}

}
