package io.distributedlock.autoconfigure;

import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

import org.springframework.beans.factory.config.BeanDefinition;
import org.springframework.beans.factory.config.ConfigurableListableBeanFactory;

import io.distributedlock.autoconfigure.LockStore.Absence;
import io.distributedlock.spi.LockBackend;

/**
 * Chooses the beans that keep the locks. The default one is the bean that
 * {@code lock.backend} names, otherwise the application's own backend, otherwise the only
 * store that is present. {@code lock.backends} lists further ones. Never guesses: startup
 * fails if there are several candidates, none, or an unknown name.
 */
final class LockBackendResolver {

	private final ConfiguredStores names;

	private final List<LockStore> stores;

	private final ConfigurableListableBeanFactory beanFactory;

	LockBackendResolver(ConfiguredStores names, List<LockStore> stores, ConfigurableListableBeanFactory beanFactory) {
		this.names = names;
		// Stores that are used only by name come last in lists of stores.
		this.stores = stores.stream()
			.sorted(Comparator.comparing(LockStore::isUsedOnlyByName).thenComparing(LockStore::name))
			.toList();
		this.beanFactory = beanFactory;
	}

	/**
	 * Return the store of requests that do not name one.
	 */
	NamedBackend standard() {
		String name = this.names.standard();
		if (name != null) {
			return named(name);
		}
		String bean = theOnlyOne();
		return backend(storeOf(bean).map(LockStore::name).orElse(bean), bean);
	}

	/**
	 * Return one of the stores that the properties name.
	 */
	NamedBackend named(String name) {
		String bean = byName(name);
		for (String other : this.names.backends()) {
			if (!other.equals(name) && byName(other).equals(bean)) {
				throw new LockStartException("'" + this.names.property() + "' lists '" + name + "' and '" + other
						+ "', which are the same bean '" + bean + "'.", "Omit one of the two.", null);
			}
		}
		return backend(name, bean);
	}

	private NamedBackend backend(String name, String bean) {
		return new NamedBackend(name, this.beanFactory.getBean(bean, LockBackend.class));
	}

	private Optional<LockStore> storeOf(String bean) {
		return this.stores.stream().filter((store) -> store.backendBeanName().equals(bean)).findFirst();
	}

	private String byName(String name) {
		List<String> beans = backends(this.beanFactory).toList();
		if (beans.contains(name)) {
			return name;
		}
		LockStore store = this.stores.stream()
			.filter((candidate) -> candidate.name().equals(name))
			.findFirst()
			.orElseThrow(() -> unknown(name, beans));
		if (!beans.contains(store.backendBeanName())) {
			throw absent(store);
		}
		return store.backendBeanName();
	}

	private String theOnlyOne() {
		List<String> own = applicationBackends(this.beanFactory);
		if (own.size() > 1) {
			List<String> primary = own.stream().filter((bean) -> is(bean, BeanDefinition::isPrimary)).toList();
			if (primary.size() != 1) {
				throw severalBeans(own);
			}
			return primary.get(0);
		}
		List<String> candidates = !own.isEmpty() ? own : backends(this.beanFactory).toList();
		if (candidates.isEmpty()) {
			throw none();
		}
		if (candidates.size() > 1) {
			throw severalStores(candidates);
		}
		return candidates.get(0);
	}

	/**
	 * Return the names of the backends that the application declares itself. The backends
	 * of the built-in stores are fallbacks.
	 */
	static List<String> applicationBackends(ConfigurableListableBeanFactory beanFactory) {
		return backends(beanFactory).filter((bean) -> !is(beanFactory, bean, BeanDefinition::isFallback)).toList();
	}

	private static Stream<String> backends(ConfigurableListableBeanFactory beanFactory) {
		return Stream.of(beanFactory.getBeanNamesForType(LockBackend.class, true, false));
	}

	private boolean is(String bean, Predicate<BeanDefinition> wanted) {
		return is(this.beanFactory, bean, wanted);
	}

	private static boolean is(ConfigurableListableBeanFactory beanFactory, String bean,
			Predicate<BeanDefinition> wanted) {
		return beanFactory.containsBeanDefinition(bean) && wanted.test(beanFactory.getMergedBeanDefinition(bean));
	}

	private LockStartException none() {
		String reasons = this.stores.stream()
			.map((store) -> "\n  - " + store.name() + ": "
					+ (store.isUsedOnlyByName() ? "is used only when 'lock.backend' names it" : reason(store)))
			.collect(Collectors.joining());
		String remedies = this.stores.stream()
			.map((store) -> "\n  - " + store.name() + ": " + remedy(store))
			.collect(Collectors.joining());
		return new LockStartException("There is no store that could keep the locks:\n" + reasons,
				"Set up one of the stores, or declare a bean of type " + LockBackend.class.getName() + ":\n" + remedies,
				null);
	}

	private LockStartException severalStores(List<String> beans) {
		List<String> present = this.stores.stream()
			.filter((store) -> beans.contains(store.backendBeanName()))
			.map(LockStore::name)
			.toList();
		return new LockStartException(
				"Several stores could keep the locks, and nothing says which one is to: " + String.join(", ", present)
						+ ".",
				"Set 'lock.backend' to one of them, for example 'lock.backend=" + present.get(0) + "'.", null);
	}

	private LockStartException severalBeans(List<String> beans) {
		return new LockStartException(
				"Several beans of type " + LockBackend.class.getName()
						+ " could keep the locks, and nothing says which one is to: " + quoted(beans) + ".",
				"Set 'lock.backend' to the name of one of them, or mark one as @Primary.", null);
	}

	private LockStartException absent(LockStore store) {
		return new LockStartException("The store '" + store.name() + "', which '" + this.names.property()
				+ "' names, can't be used: " + reason(store) + ".", "To use it: " + remedy(store) + ".", null);
	}

	private LockStartException unknown(String name, List<String> beans) {
		String known = this.stores.stream().map(LockStore::name).collect(Collectors.joining(", "));
		return new LockStartException("'" + this.names.property() + "' names '" + name
				+ "', which is neither a store nor the name of a bean of type " + LockBackend.class.getName() + ".",
				"Name a store (" + known + ")" + (beans.isEmpty() ? "" : " or a bean (" + quoted(beans) + ")")
						+ ", or declare a bean with this name.",
				null);
	}

	private String reason(LockStore store) {
		return absence(store).map(Absence::reason).orElse("another bean has taken its place");
	}

	private String remedy(LockStore store) {
		String setting = "set 'lock.backend=" + store.name() + "'";
		return absence(store).map(Absence::remedy).orElse(setting);
	}

	private Optional<Absence> absence(LockStore store) {
		return store.absence(this.beanFactory);
	}

	private static String quoted(List<String> names) {
		return names.stream().map((name) -> "'" + name + "'").collect(Collectors.joining(", "));
	}

}
