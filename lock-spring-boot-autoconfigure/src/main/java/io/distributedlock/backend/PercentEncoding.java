package io.distributedlock.backend;

import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HexFormat;
import java.util.Optional;
import java.util.function.IntPredicate;

/**
 * Encodes keys for stores whose names do not allow all characters. Bytes of the key's
 * UTF-8 form that are not allowed are written as {@code %XX}, so that different keys have
 * different names.
 *
 * @param allowed whether a byte, from 0 to 255, is written as it is; never true for the
 * percent sign
 * @since 0.1.0
 */
public record PercentEncoding(IntPredicate allowed) {

	private static final HexFormat HEX = HexFormat.of().withUpperCase();

	/**
	 * Encode a text.
	 * @param text the text
	 * @return its name
	 */
	public String encode(String text) {
		ByteArrayOutputStream encoded = new ByteArrayOutputStream(text.length() + 16);
		for (byte next : text.getBytes(StandardCharsets.UTF_8)) {
			if (this.allowed.test(next & 0xFF)) {
				encoded.write(next);
			}
			else {
				encoded.writeBytes(("%" + HEX.toHexDigits(next)).getBytes(StandardCharsets.US_ASCII));
			}
		}
		return encoded.toString(StandardCharsets.UTF_8);
	}

	/**
	 * Decode a name.
	 * @param name the name
	 * @return the text, or empty if a percent sign is not followed by two hexadecimal
	 * digits. Some names that {@link #encode(String)} never writes can be decoded, too
	 */
	public Optional<String> decode(String name) {
		byte[] encoded = name.getBytes(StandardCharsets.UTF_8);
		ByteArrayOutputStream decoded = new ByteArrayOutputStream(encoded.length);
		for (int i = 0; i < encoded.length; i++) {
			if (encoded[i] != '%') {
				decoded.write(encoded[i]);
			}
			else if (i + 2 < encoded.length && HexFormat.isHexDigit(encoded[i + 1])
					&& HexFormat.isHexDigit(encoded[i + 2])) {
				decoded.write(HexFormat.fromHexDigit(encoded[i + 1]) * 16 + HexFormat.fromHexDigit(encoded[i + 2]));
				i += 2;
			}
			else {
				return Optional.empty();
			}
		}
		return Optional.of(decoded.toString(StandardCharsets.UTF_8));
	}

}
