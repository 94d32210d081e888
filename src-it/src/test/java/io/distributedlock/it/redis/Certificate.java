package io.distributedlock.it.redis;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.util.Base64;

/**
 * A self-signed certificate for 127.0.0.1, as files that a server reads.
 *
 * @param certificate the file with the certificate
 * @param key the file with the private key
 */
public record Certificate(Path certificate, Path key) {

	private static final char[] PASSWORD = "changeit".toCharArray();

	/**
	 * Create a certificate.
	 * @return the certificate, valid for days
	 */
	public static Certificate create() {
		try {
			Path directory = Files.createTempDirectory("lock-redis-tls");
			Path store = directory.resolve("store.p12");
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", "redis", "-keyalg", "RSA", "-dname", "CN=127.0.0.1", "-ext",
					"SAN=ip:127.0.0.1", "-validity", "10", "-storetype", "PKCS12", "-keystore", store.toString(),
					"-storepass", new String(PASSWORD))
				.redirectErrorStream(true)
				.redirectOutput(directory.resolve("keytool.log").toFile())
				.start();
			if (keytool.waitFor() != 0) {
				throw new IllegalStateException(Files.readString(directory.resolve("keytool.log")));
			}
			return export(store, directory);
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Certificate export(Path store, Path directory) throws IOException, GeneralSecurityException {
		KeyStore keys = KeyStore.getInstance("PKCS12");
		try (InputStream file = Files.newInputStream(store)) {
			keys.load(file, PASSWORD);
		}
		Key key = keys.getKey("redis", PASSWORD);
		return new Certificate(
				write(directory.resolve("redis.crt"), "CERTIFICATE", keys.getCertificate("redis").getEncoded()),
				write(directory.resolve("redis.key"), "PRIVATE KEY", key.getEncoded()));
	}

	private static Path write(Path file, String what, byte[] content) throws IOException {
		String body = Base64.getMimeEncoder(64, new byte[] { '\n' }).encodeToString(content);
		return Files.writeString(file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
	}

}
