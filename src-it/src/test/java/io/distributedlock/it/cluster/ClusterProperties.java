package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of a JVM of a cluster.
 *
 * @param folder the folder of the logs and of the signals to begin and to end
 * @param name the name of this JVM
 * @param threads how many threads lock
 * @param keys the keys that they lock
 * @param pause the longest pause inside a body and between two bodies
 * @param waitTime how long to wait for a lock
 * @param counting whether bodies count in the database
 * @param seed the seed of the random numbers
 * @param fault the fault that is planted
 */
@ConfigurationProperties("cluster")
record ClusterProperties(Path folder, String name, int threads, List<String> keys, Duration pause, Duration waitTime,
		boolean counting, long seed, @DefaultValue("NONE") PlantedFault fault) {
}
