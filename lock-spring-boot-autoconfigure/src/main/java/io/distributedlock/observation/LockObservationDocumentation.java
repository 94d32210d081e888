package io.distributedlock.observation;

import io.micrometer.common.docs.KeyName;
import io.micrometer.observation.Observation.Context;
import io.micrometer.observation.ObservationConvention;
import io.micrometer.observation.docs.ObservationDocumentation;

/**
 * Documents the observations of locks.
 *
 * @since 0.1.0
 */
public enum LockObservationDocumentation implements ObservationDocumentation {

	/**
	 * An acquisition: from the request of a caller until the caller has a lease or an
	 * exception.
	 */
	ACQUIRE {

		@Override
		public Class<? extends ObservationConvention<? extends Context>> getDefaultConvention() {
			return DefaultAcquireObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKeyNames.values();
		}

	},

	/**
	 * A hold: from the acquisition of a lease until it was released or lost. The body
	 * runs inside its scope.
	 */
	HOLD {

		@Override
		public Class<? extends ObservationConvention<? extends Context>> getDefaultConvention() {
			return DefaultHoldObservationConvention.class;
		}

		@Override
		public KeyName[] getLowCardinalityKeyNames() {
			return LowCardinalityKeyNames.values();
		}

		@Override
		public KeyName[] getHighCardinalityKeyNames() {
			return HighCardinalityKeyNames.values();
		}

	};

	/**
	 * The names of key values that become tags of meters.
	 */
	public enum LowCardinalityKeyNames implements KeyName {

		/**
		 * The name of the lock, {@code other} beyond {@code lock.observations.max-names}
		 * names, or {@code none}. Never its key.
		 */
		NAME {

			@Override
			public String asString() {
				return "lock.name";
			}

		},

		/**
		 * The name of the store, as in {@code lock.backends}.
		 */
		STORE {

			@Override
			public String asString() {
				return "lock.store";
			}

		},

		/**
		 * The mode, {@code exclusive}, {@code shared} or {@code permits}.
		 */
		MODE {

			@Override
			public String asString() {
				return "lock.mode";
			}

		},

		/**
		 * How it ended. An acquisition: {@code acquired}, {@code handed-over},
		 * {@code busy}, {@code unavailable}, {@code cancelled} or {@code done}. A hold:
		 * {@code released} or {@code lost}. Absent until then.
		 */
		OUTCOME {

			@Override
			public String asString() {
				return "lock.outcome";
			}

		}

	}

	/**
	 * The names of key values that only spans have.
	 */
	public enum HighCardinalityKeyNames implements KeyName {

		/**
		 * The keys, in printable form.
		 */
		KEY {

			@Override
			public String asString() {
				return "lock.key";
			}

		},

		/**
		 * The fencing token of the lease, if there is one.
		 */
		FENCING_TOKEN {

			@Override
			public String asString() {
				return "lock.fencing_token";
			}

			@Override
			public boolean isRequired() {
				return false;
			}

		}

	}

}
