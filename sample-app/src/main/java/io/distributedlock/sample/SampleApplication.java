package io.distributedlock.sample;

import org.springframework.boot.SpringApplication;
import org.springframework.boot.autoconfigure.SpringBootApplication;
import org.springframework.scheduling.annotation.EnableScheduling;

/**
 * Starts the sample. Start it a second time with {@code --server.port=8081}: both
 * instances share the database and the locks in it.
 */
@SpringBootApplication
@EnableScheduling
public class SampleApplication {

	public static void main(String[] args) {
		// H2 reads this property once, when its first class is loaded. Without it, the
		// database that one instance opens for the others would listen on every
		// interface.
		System.setProperty("h2.bindAddress", "127.0.0.1");
		SpringApplication application = new SpringApplication(SampleApplication.class);
		application.addListeners(new SampleFolder());
		application.run(args);
	}

}
