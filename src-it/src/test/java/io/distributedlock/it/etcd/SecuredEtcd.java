package io.distributedlock.it.etcd;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

import javax.net.ssl.SSLException;

import io.etcd.jetcd.Auth;
import io.etcd.jetcd.ByteSequence;
import io.etcd.jetcd.Client;
import io.etcd.jetcd.auth.Permission;

import io.distributedlock.it.redis.Certificate;

/**
 * One etcd that speaks TLS only and asks who one is. The user of the locks may do nothing
 * but read and write below {@code locks/}. It ends with the JVM.
 */
final class SecuredEtcd {

	static final String USER = "locks";

	static final String PASSWORD = "locks-secret";

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
	 * Start another one.
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

		private static void secure(Auth auth) {
			ByteSequence rootName = bytes("root");
			EtcdTestClient.await(auth.userAdd(rootName, bytes("root-secret")));
			EtcdTestClient.await(auth.roleAdd(rootName));
			EtcdTestClient.await(auth.userGrantRole(rootName, rootName));
			EtcdTestClient.await(auth.userAdd(bytes(USER), bytes(PASSWORD)));
			EtcdTestClient.await(auth.roleAdd(bytes("lockers")));
			EtcdTestClient.await(auth.roleGrantPermission(bytes("lockers"), bytes("locks/"), bytes("locks0"),
					Permission.Type.READWRITE));
			EtcdTestClient.await(auth.userGrantRole(bytes(USER), bytes("lockers")));
			EtcdTestClient.await(auth.authEnable());
		}

	}

}
