package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;

import io.distributedlock.it.redis.Certificate;
import io.distributedlock.it.rights.ReferenceBlock;

import static org.assertj.core.api.Assertions.assertThat;

/**
 * One etcd that only uses TLS and requires authentication. The user of the locks has
 * exactly the documented permissions. The server ends with the JVM.
 */
final class SecuredEtcd {

	static final String USER = "locks";

	static final String PASSWORD = "secret";

	private SecuredEtcd() {
	}

	static String url() {
		return "https://127.0.0.1:" + port();
	}

	static int port() {
		return Running.SERVER.port();
	}

	static Path certificate() {
		return Running.CERTIFICATE.certificate();
	}

	/**
	 * Create a user with one permission, by a role of the same name.
	 * @param name the user
	 * @param prefix the prefix of the keys that it may use
	 * @param type the kind of permission
	 */
	static void addUser(String name, String prefix, Permission.Type type) {
		Auth auth = Running.ROOT.getAuthClient();
		EtcdTestClient.await(auth.userAdd(bytes(name), bytes(PASSWORD)));
		EtcdTestClient.await(auth.roleAdd(bytes(name)));
		EtcdTestClient.await(auth.roleGrantPermission(bytes(name), bytes(prefix), Running.endOf(prefix), type));
		EtcdTestClient.await(auth.userGrantRole(bytes(name), bytes(name)));
	}

	/**
	 * Revoke the permissions that a user was created with.
	 */
	static void dropRights(String name) {
		EtcdTestClient.await(Running.ROOT.getAuthClient().userRevokeRole(bytes(name), bytes(name)));
	}

	/**
	 * Grant the permissions again.
	 */
	static void restoreRights(String name) {
		EtcdTestClient.await(Running.ROOT.getAuthClient().userGrantRole(bytes(name), bytes(name)));
	}

	/**
	 * Connect as a user.
	 */
	static Client connect(String user, String password) {
		return Running.connect(url(), user, password);
	}

	/**
	 * Start another server.
	 * @return the server, which speaks TLS by the same certificate
	 */
	static EtcdProcess start() {
		return Running.start();
	}

	private static ByteSequence bytes(String text) {
		return ByteSequence.from(text, StandardCharsets.UTF_8);
	}

	// The first use of the class starts the server, in whichever test that is.
	private static final class Running {

		static final Certificate CERTIFICATE = Certificate.create();

		static final EtcdProcess SERVER = start();

		static final Client ROOT = connect("https://127.0.0.1:" + SERVER.port(), "root", "root-secret");

		static Client connect(String url, String user, String password) {
			try {
				return Client.builder()
					.endpoints(url)
					.user(bytes(user))
					.password(bytes(password))
					.waitForReady(false)
					.retryMaxAttempts(0)
					.sslContext((context) -> context.trustManager(CERTIFICATE.certificate().toFile()))
					.build();
			}
			catch (SSLException ex) {
				throw new IllegalStateException(ex);
			}
		}

		static ByteSequence endOf(String prefix) {
			int last = prefix.length() - 1;
			return bytes(prefix.substring(0, last) + (char) (prefix.charAt(last) + 1));
		}

		private static EtcdProcess start() {
			EtcdProcess server = EtcdProcess.start("--cert-file", CERTIFICATE.certificate().toString(), "--key-file",
					CERTIFICATE.key().toString());
			try (Client root = Client.builder()
				.endpoints("https://127.0.0.1:" + server.port())
				.sslContext((context) -> context.trustManager(CERTIFICATE.certificate().toFile()))
				.build()) {
				secure(root.getAuthClient());
			}
			catch (SSLException ex) {
				throw new IllegalStateException(ex);
			}
			return server;
		}

		/**
		 * Execute a command from the documentation.
		 */
		private static void run(Auth auth, List<String> words) {
			switch (String.join(" ", words.subList(0, 3))) {
				case "etcdctl user add" -> {
					String[] login = words.get(3).split(":");
					EtcdTestClient.await(auth.userAdd(bytes(login[0]), bytes(login[1])));
				}
				case "etcdctl role add" -> EtcdTestClient.await(auth.roleAdd(bytes(words.get(3))));
				case "etcdctl role grant-permission" -> {
					assertThat(words.subList(4, 6)).containsExactly("readwrite", "--prefix=true");
					EtcdTestClient.await(auth.roleGrantPermission(bytes(words.get(3)), bytes(words.get(6)),
							endOf(words.get(6)), Permission.Type.READWRITE));
				}
				case "etcdctl user grant-role" ->
					EtcdTestClient.await(auth.userGrantRole(bytes(words.get(3)), bytes(words.get(4))));
				default -> throw new AssertionError("This command is not known here: " + words);
			}
		}

		private static void secure(Auth auth) {
			ByteSequence rootName = bytes("root");
			EtcdTestClient.await(auth.userAdd(rootName, bytes("root-secret")));
			EtcdTestClient.await(auth.roleAdd(rootName));
			EtcdTestClient.await(auth.userGrantRole(rootName, rootName));
			ReferenceBlock.lines("rights-etcd").forEach((command) -> run(auth, List.of(command.split(" "))));
			EtcdTestClient.await(auth.authEnable());
		}

	}

}
