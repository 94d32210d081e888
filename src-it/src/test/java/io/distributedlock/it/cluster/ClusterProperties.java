package io.distributedlock.it.cluster;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * The properties of a JVM of a cluster.
 *
 * @param folder the folder of the logs and of the signals to begin and to end
 * @param name the name of this JVM
 * @param threads how many threads lock
 * @param keys the keys that they lock
 * @param sets the sets of keys, separated by {@code +}, that they lock in turn with
 * single keys
 * @param modes the modes of the requests by key, or by the first key of a set; exclusive
 * if there is none
 * @param rounds how many locks each thread requests; zero until the signal to end
 * @param patient whether each request waits, so that a busy lock is not expected
 * @param pause the longest pause inside a body and between two bodies
 * @param waitTime how long to wait for a lock
 * @param counting whether exclusive bodies count in the database
 * @param seed the seed of the random numbers
 * @param fault the fault that is planted
 */
@ConfigurationProperties("cluster")
record ClusterProperties(Path folder, String name, int threads, List<String> keys, @DefaultValue List<String> sets,
		@DefaultValue Map<String, List<RequestedMode>> modes, @DefaultValue("0") int rounds,
		@DefaultValue("false") boolean patient, Duration pause, Duration waitTime, boolean counting, long seed,
		@DefaultValue("NONE") PlantedFault fault) {
}
