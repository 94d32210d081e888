package io.distributedlock.autoconfigure;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.Key;
import java.security.KeyStore;
import java.security.SecureRandom;
import java.security.cert.Certificate;
import java.util.Collections;
import java.util.HexFormat;
import java.util.List;

import org.apache.zookeeper.client.ZKClientConfig;
import org.apache.zookeeper.common.ClientX509Util;
import org.apache.zookeeper.common.X509Util;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.ssl.SslBundle;
import org.springframework.boot.ssl.SslBundleKey;
import org.springframework.boot.ssl.SslOptions;

/**
 * Passes an SSL bundle to ZooKeeper's client, which reads keys and certificates only from
 * files, at each connection. Writes them into a folder that only this user can read, and
 * deletes it when the client is closed.
 */
final class ZooKeeperTls implements AutoCloseable {

	private static final String TYPE = "PKCS12";

	private final Path folder;

	private final String password = HexFormat.of().formatHex(SecureRandom.getSeed(16));

	private final ZKClientConfig config = new ZKClientConfig();

	ZooKeeperTls(SslBundle bundle) {
		try (X509Util names = new ClientX509Util()) {
			this.folder = Files.createTempDirectory("lock-zookeeper");
			this.config.setProperty(ZKClientConfig.SECURE_CLIENT, "true");
			this.config.setProperty(ZKClientConfig.ZOOKEEPER_CLIENT_CNXN_SOCKET,
					"org.apache.zookeeper.ClientCnxnSocketNetty");
			KeyStore keys = bundle.getStores().getKeyStore();
			if (keys != null) {
				this.config.setProperty(names.getSslKeystoreLocationProperty(), write("keys", keys(keys, bundle)));
				this.config.setProperty(names.getSslKeystorePasswdProperty(), this.password);
				this.config.setProperty(names.getSslKeystoreTypeProperty(), TYPE);
			}
			KeyStore trusted = bundle.getStores().getTrustStore();
			if (trusted != null) {
				this.config.setProperty(names.getSslTruststoreLocationProperty(), write("trusted", trusted(trusted)));
				this.config.setProperty(names.getSslTruststorePasswdProperty(), this.password);
				this.config.setProperty(names.getSslTruststoreTypeProperty(), TYPE);
			}
			apply(bundle.getOptions(), names);
		}
		catch (IOException | GeneralSecurityException ex) {
			throw new LockStartException("The SSL bundle of the locks in ZooKeeper can't be used: " + ex.getMessage(),
					"Check the bundle that 'lock.zookeeper.ssl.bundle' names.", ex);
		}
	}

	private void apply(SslOptions options, X509Util names) {
		if (options.getCiphers() != null) {
			this.config.setProperty(names.getSslCipherSuitesProperty(), String.join(",", options.getCiphers()));
		}
		if (options.getEnabledProtocols() != null) {
			this.config.setProperty(names.getSslEnabledProtocolsProperty(),
					String.join(",", options.getEnabledProtocols()));
		}
	}

	private KeyStore keys(KeyStore from, SslBundle bundle) throws GeneralSecurityException, IOException {
		SslBundleKey key = bundle.getKey();
		String alias = key.getAlias();
		List<String> aliases = (alias != null) ? List.of(alias) : Collections.list(from.aliases());
		char @Nullable [] secret = secret(bundle);
		KeyStore keys = empty();
		for (String each : aliases) {
			if (from.isKeyEntry(each)) {
				Key copied = from.getKey(each, secret);
				keys.setKeyEntry(each, copied, this.password.toCharArray(), from.getCertificateChain(each));
			}
		}
		return keys;
	}

	private static char @Nullable [] secret(SslBundle bundle) {
		String ofKey = bundle.getKey().getPassword();
		String secret = (ofKey != null) ? ofKey : bundle.getStores().getKeyStorePassword();
		return (secret != null) ? secret.toCharArray() : null;
	}

	private KeyStore trusted(KeyStore from) throws GeneralSecurityException, IOException {
		KeyStore trusted = empty();
		for (String alias : Collections.list(from.aliases())) {
			Certificate certificate = from.getCertificate(alias);
			if (certificate != null) {
				trusted.setCertificateEntry(alias, certificate);
			}
		}
		return trusted;
	}

	private static KeyStore empty() throws GeneralSecurityException, IOException {
		KeyStore store = KeyStore.getInstance(TYPE);
		store.load(null, null);
		return store;
	}

	private String write(String name, KeyStore store) throws GeneralSecurityException, IOException {
		Path file = this.folder.resolve(name + ".p12");
		try (OutputStream out = Files.newOutputStream(file)) {
			store.store(out, this.password.toCharArray());
		}
		return file.toString();
	}

	ZKClientConfig config() {
		return this.config;
	}

	@Override
	public void close() {
		try {
			for (String name : List.of("keys.p12", "trusted.p12")) {
				Files.deleteIfExists(this.folder.resolve(name));
			}
			Files.deleteIfExists(this.folder);
		}
		catch (IOException ex) {
			this.folder.toFile().deleteOnExit();
		}
	}

}
