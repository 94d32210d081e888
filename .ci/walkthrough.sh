# Follows a page of the documentation in an empty folder outside of this build, and runs instances of the application that the
# page creates. Sourced by the scripts that do so, from the root of this project.

patience=120
# The processes of the instances that run, by their numbers.
pids=()

# begin NAME PAGE: creates the folder. The logs are copied to target/ci/NAME in the end.
begin() {
	logs=target/ci/$1
	page=$2
	# Outside of this build, whose settings of Maven must not reach it.
	project=$(mktemp -d)
	# What the developer has installed stays.
	installed_before=$([[ -e $HOME/.m2/repository/io/distributedlock ]] && echo true || echo false)
	mkdir -p "$project/src/main/java/shop" "$project/src/main/resources"
	trap end EXIT
}

# block SECTION LANGUAGE: prints the first block of a section that is in this language; no language for commands.
block() {
	awk -v section="## $1" -v fence="\`\`\`$2" '/^## /{inside = ($0 == section)}
		inside && !found && $0 == fence { found = printing = 1; next }
		printing && /^```/ { printing = 0 }
		printing' "$page"
}

# named NAME: prints the block with this name in a comment before it.
named() {
	awk -v comment="<!-- $1 -->" '$0 == comment { found = 1; next }
		found == 1 && /^```/ { found = printing = 2; next }
		printing && /^```/ { printing = 0 }
		printing' "$page"
}

end() {
	local instance
	for instance in "${!pids[@]}"; do
		stop "$instance"
	done
	rm -rf "$logs" && mkdir -p "$logs" && cp "$project"/*.log "$logs"
	uninstall
	rm -rf "$project"
}

# What was installed is removed again: other builds on this machine must not find it.
uninstall() {
	[[ $installed_before == false && -f $project/installed ]] || return 0
	local directory
	while read -r directory; do
		rm -rf "$directory"
		rm -f "${directory%/*}/maven-metadata-local.xml"
		rmdir "${directory%/*}" "${directory%/*/*}" 2> /dev/null || true
	done < "$project/installed"
}

# install_starter SECTION: runs the command of the section in this build.
install_starter() {
	local install status=0
	install=$(block "$1" "")
	echo "== $install"
	bash -c "$install" > "$project/install.log" 2>&1 || status=$?
	# Also what a failed command has installed.
	sed -En 's/.*Installing .* to (.*)\/[^/]+$/\1/p' "$project/install.log" | sort -u > "$project/installed"
	[[ $status -eq 0 ]] || { cat "$project/install.log" && exit 1; }
}

# build SECTION: reads the two commands of the section, runs the first one, and keeps the second one as $start.
build() {
	local build
	{
		read -r build
		read -r start
	} < <(block "$1" "")
	echo "== $build"
	(cd "$project" && bash -c "$build" > build.log 2>&1) || { cat "$project/build.log" && exit 1; }
}

# run INSTANCE: starts an instance with a number, and returns when it has started. H2 would listen on all addresses.
run() {
	echo "== $start"
	(cd "$project" && JAVA_TOOL_OPTIONS=-Dh2.bindAddress=127.0.0.1 exec bash -c "exec $start" > "$1.log" 2>&1) &
	pids[$1]=$!
	wait_for "instance $1" grep -q 'Started ShopApplication' "$project/$1.log"
}

# stop INSTANCE: ends an instance.
stop() {
	kill "${pids[$1]}" 2> /dev/null || true
	wait "${pids[$1]}" 2> /dev/null || true
	unset "pids[$1]"
}

# wait_for WHAT COMMAND...: waits until the command succeeds.
wait_for() {
	local what=$1 begun=$SECONDS
	shift
	until "$@" 2> /dev/null; do
		if ((SECONDS - begun > patience)); then
			echo "== $what is missing after $((SECONDS - begun)) s"
			tail -n 40 "$project"/[0-9].log
			exit 1
		fi
		sleep 0.2
	done
}

reports() {
	cat "$project"/[0-9].log | grep '^report '
}

has_reports() {
	(($(reports | wc -l) >= $1))
}

# wait_for_reports COUNT: waits until the instances that run now have printed so many reports more.
wait_for_reports() {
	wait_for "a report of the instances" has_reports $(($(reports | wc -l) + $1))
}

has_report_twice() {
	[[ -n $(reports | sort | uniq -d) ]]
}

# check_reports: fails if a report was printed twice.
check_reports() {
	if has_report_twice; then
		echo "== a report was printed twice:"
		reports | sort | uniq -d
		exit 1
	fi
	echo "== $(reports | wc -l) reports, each printed once"
}
