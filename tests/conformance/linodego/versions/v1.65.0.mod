module lkesim.invalid/conformance/linodego

go 1.25.0

require github.com/linode/linodego v1.65.0

require (
	github.com/go-resty/resty/v2 v2.17.1 // indirect
	github.com/google/go-querystring v1.2.0 // indirect
	golang.org/x/net v0.49.0 // indirect
	golang.org/x/text v0.33.0 // indirect
	gopkg.in/ini.v1 v1.67.1 // indirect
)
