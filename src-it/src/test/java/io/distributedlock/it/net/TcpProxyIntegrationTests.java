package io.distributedlock.it.net;

import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

/**
 * Tests for {@link TcpProxy}, in front of a server that returns each number.
 */
class TcpProxyIntegrationTests {

	private final List<Integer> arrived = new CopyOnWriteArrayList<>();

	private final List<Socket> clients = new ArrayList<>();

	private ServerSocket server;

	private TcpProxy proxy;

	@BeforeEach
	void start() throws IOException {
		this.server = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
		daemon(this::accept);
		this.proxy = TcpProxy.to(this.server.getLocalPort());
	}

	@AfterEach
	void stop() throws IOException {
		this.proxy.close();
		this.server.close();
		for (Socket client : this.clients) {
			client.close();
		}
	}

	@Test
	void bytesPassBothWays() throws IOException {
		Socket client = connect();

		send(client, 1);
		send(client, 2);

		assertThat(receive(client)).isEqualTo(1);
		assertThat(receive(client)).isEqualTo(2);
		assertThat(this.proxy.requests().bytes()).isEqualTo(8);
		assertThat(this.proxy.answers().bytes()).isEqualTo(8);
	}

	@Test
	void silencedConnectionsStayOpenAndLoseEverythingWhileNewOnesWork() throws IOException {
		Socket silenced = connect();
		send(silenced, 1);
		assertThat(receive(silenced)).isEqualTo(1);

		this.proxy.silence();
		send(silenced, 2);
		Socket fresh = connect();
		send(fresh, 3);

		assertThat(receive(fresh)).isEqualTo(3);
		silenced.setSoTimeout(200);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> receive(silenced));
		assertThat(this.arrived).doesNotContain(2);
	}

	@Test
	void delayedBytesArriveLaterInTheirOrder() throws IOException {
		Socket client = connect();
		this.proxy.delay(Duration.ofMillis(200));
		long begunAt = System.nanoTime();

		for (int i = 0; i < 50; i++) {
			send(client, i);
		}

		assertThat(receive(client)).isZero();
		assertThat(Duration.ofNanos(System.nanoTime() - begunAt)).isGreaterThanOrEqualTo(Duration.ofMillis(200));
		for (int i = 1; i < 50; i++) {
			assertThat(receive(client)).isEqualTo(i);
		}
	}

	@Test
	void heldRequestsArriveWhenTheyMayPassAgain() throws IOException {
		Socket client = connect();
		this.proxy.requests().hold();
		send(client, 7);
		Awaitility.await().until(() -> this.proxy.requests().bytes() == 4);
		assertThat(this.arrived).isEmpty();

		this.proxy.requests().pass();

		assertThat(receive(client)).isEqualTo(7);
	}

	@Test
	void droppedAnswersAreLostThoughTheRequestArrived() throws IOException {
		Socket client = connect();
		this.proxy.answers().drop();

		send(client, 7);

		Awaitility.await().until(() -> this.proxy.answers().bytes() == 4);
		assertThat(this.arrived).containsExactly(7);
		client.setSoTimeout(100);
		assertThatExceptionOfType(SocketTimeoutException.class).isThrownBy(() -> receive(client));
	}

	@Test
	void connectionThatLostBytesEndsWhenTheyMayPassAgain() throws IOException {
		Socket client = connect();
		this.proxy.answers().drop();
		send(client, 7);
		Awaitility.await().until(() -> this.proxy.answers().bytes() == 4);

		this.proxy.restore();

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> receive(client));
		Socket next = connect();
		send(next, 8);
		assertThat(receive(next)).isEqualTo(8);
	}

	@Test
	void cutEndsConnectionsAndRefusesNewOnesUntilRestored() throws IOException {
		Socket client = connect();
		send(client, 1);
		receive(client);

		this.proxy.cut();

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> receive(client));
		assertThatExceptionOfType(IOException.class).isThrownBy(() -> receive(connect()));
		assertThat(this.proxy.connections()).isZero();
		this.proxy.restore();
		Socket next = connect();
		send(next, 2);
		assertThat(receive(next)).isEqualTo(2);
	}

	@Test
	void endOfTheServerIsPassedOn() throws IOException {
		Socket client = connect();
		send(client, -1);

		assertThatExceptionOfType(IOException.class).isThrownBy(() -> receive(client));
	}

	private Socket connect() throws IOException {
		Socket client = new Socket(InetAddress.getLoopbackAddress(), this.proxy.port());
		client.setSoTimeout(30_000);
		this.clients.add(client);
		return client;
	}

	private static void send(Socket client, int number) throws IOException {
		new DataOutputStream(client.getOutputStream()).writeInt(number);
	}

	private static int receive(Socket client) throws IOException {
		return new DataInputStream(client.getInputStream()).readInt();
	}

	private void accept() {
		try {
			while (true) {
				Socket connection = this.server.accept();
				daemon(() -> echo(connection));
			}
		}
		catch (IOException ex) {
			// The test is over.
		}
	}

	/**
	 * Send back each number; a negative one ends the connection.
	 */
	private void echo(Socket connection) {
		try (connection) {
			for (int number = receive(connection); number >= 0; number = receive(connection)) {
				this.arrived.add(number);
				send(connection, number);
			}
		}
		catch (IOException ex) {
			// The client is gone.
		}
	}

	private static void daemon(Runnable task) {
		Thread thread = new Thread(task, "echo");
		thread.setDaemon(true);
		thread.start();
	}

}
