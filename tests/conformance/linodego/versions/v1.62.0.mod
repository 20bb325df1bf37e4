module lkesim.invalid/conformance/linodego

go 1.25.0

require github.com/linode/linodego v1.62.0

require (
	github.com/go-resty/resty/v2 v2.17.0 // indirect
	github.com/google/go-querystring v1.1.0 // indirect
	golang.org/x/net v0.48.0 // indirect
	golang.org/x/text v0.32.0 // indirect
	gopkg.in/ini.v1 v1.66.6 // indirect
)
