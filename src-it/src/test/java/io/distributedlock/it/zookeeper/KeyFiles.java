package io.distributedlock.it.zookeeper;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;

/**
 * A key for this machine's own address with a self-signed certificate, and a store that
 * trusts it, as files.
 *
 * @param keys the file with the key
 * @param trusted the file with the certificate
 */
record KeyFiles(Path keys, Path trusted) {

	static final String PASSWORD = "changeit";

	static KeyFiles create() {
		try {
			Path folder = Files.createTempDirectory("lock-zookeeper-tls");
			Path keys = folder.resolve("keys.p12");
			Process keytool = new ProcessBuilder(Path.of(System.getProperty("java.home"), "bin", "keytool").toString(),
					"-genkeypair", "-alias", "zookeeper", "-keyalg", "RSA", "-dname", "CN=127.0.0.1", "-ext",
					"SAN=ip:127.0.0.1,dns:localhost", "-validity", "10", "-storetype", "PKCS12", "-keystore",
					keys.toString(), "-storepass", PASSWORD)
				.redirectErrorStream(true)
				.redirectOutput(folder.resolve("keytool.log").toFile())
				.start();
			if (keytool.waitFor() != 0) {
				throw new IllegalStateException(Files.readString(folder.resolve("keytool.log")));
			}
			return new KeyFiles(keys, trust(keys, folder.resolve("trusted.p12")));
		}
		catch (IOException ex) {
			throw new UncheckedIOException(ex);
		}
		catch (InterruptedException | GeneralSecurityException ex) {
			throw new IllegalStateException(ex);
		}
	}

	private static Path trust(Path keys, Path trusted) throws IOException, GeneralSecurityException {
		KeyStore from = KeyStore.getInstance("PKCS12");
		try (InputStream file = Files.newInputStream(keys)) {
			from.load(file, PASSWORD.toCharArray());
		}
		KeyStore to = KeyStore.getInstance("PKCS12");
		to.load(null, null);
		to.setCertificateEntry("zookeeper", from.getCertificate("zookeeper"));
		try (OutputStream file = Files.newOutputStream(trusted)) {
			to.store(file, PASSWORD.toCharArray());
		}
		return trusted;
	}

}
